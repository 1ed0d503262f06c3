// The functions of C by which bench makes and runs plans of HPTT, whose own functions of C plan
// anew in every call. From the folder of HPTT's source, after make avx:
//
//	g++ -std=c++11 -O2 -shared -fPIC -DCOMMIT="$(git log -1 --format=%h)" -Iinclude -Llib -o lib/libhptt-plans.so PLANS.CC -lhptt
//
// where PLANS.CC is this file. bench finds the library if LD_LIBRARY_PATH names the folder lib. It
// plans by MEASURE, which tries plans for ten seconds at most; -DMETHOD=ESTIMATE tries none.
#include <cstdint>
#include <hptt.h>

#ifndef METHOD
#define METHOD MEASURE
#endif
#define TEXT(x) #x
#define VALUE(x) TEXT(x)

namespace {

struct plan {
	virtual ~plan() {}
	virtual void execute() = 0;
};

template <class T> struct plan_of : plan {
	std::shared_ptr<hptt::Transpose<T>> made;
	plan_of(int rank, const int *perm, const int *sizes, const void *src, void *dst)
		: made(hptt::create_plan(perm, rank, T(1), static_cast<const T *>(src), sizes, nullptr, T(0), static_cast<T *>(dst), nullptr, hptt::METHOD, 1, nullptr, true)) {}
	void execute() override { made->execute(); }
};

} // namespace

extern "C" {

const char *hptt_version(void) { return VALUE(COMMIT) " " VALUE(METHOD); }

// hptt_plan returns a plan that copies elements of 4 or 8 bytes. Axis i of the row-major destination
// is axis perm[i] of the row-major source, which has these sizes. Planning writes to the destination.
void *hptt_plan(int width, int rank, const int *perm, const int *sizes, const void *src, void *dst) {
	if (width == 4) return static_cast<plan *>(new plan_of<float>(rank, perm, sizes, src, dst));
	return static_cast<plan *>(new plan_of<double>(rank, perm, sizes, src, dst));
}

void hptt_run(void *p, int64_t reps) {
	while (reps-- > 0) static_cast<plan *>(p)->execute();
}

void hptt_destroy(void *p) { delete static_cast<plan *>(p); }

}
