// The functions of C by which bench makes and runs plans of HPTT, whose own functions of C plan
// anew in every call. From the folder of HPTT's source (github.com/springer13/hptt):
//
//	make avx
//	g++ -std=c++11 -O2 -shared -fPIC -DCOMMIT="$(git log -1 --format=%h)" -Iinclude -Llib -o lib/libhptt-plans.so PLANS.CC -lhptt
//
// where PLANS.CC is this file. bench finds the library if LD_LIBRARY_PATH names the folder lib.
#include <cstdint>
#include <cstring>
#include <hptt.h>

#define TEXT(x) #x
#define VALUE(x) TEXT(x)

namespace {

struct plan {
	virtual ~plan() {}
	virtual void execute() = 0;
};

// HPTT estimates which plan is fast, or measures it, for ten seconds at most. Some plans that it
// measures leave elements out (commit 9425386, ranks of 3 and more). So the measured one is taken
// if it copies what the estimated one does.
template <class T> struct plan_of : plan {
	std::shared_ptr<hptt::Transpose<T>> made;

	plan_of(int rank, const int *perm, const int *sizes, const void *src, void *dst) {
		const auto make = [&](hptt::SelectionMethod by) {
			return hptt::create_plan(perm, rank, T(1), static_cast<const T *>(src), sizes, nullptr, T(0), static_cast<T *>(dst), nullptr, by, 1, nullptr, true);
		};
		size_t bytes = sizeof(T);
		for (int i = 0; i < rank; i++) bytes *= sizes[i];
		made = make(hptt::ESTIMATE);
		made->execute();
		const std::vector<char> want(static_cast<char *>(dst), static_cast<char *>(dst) + bytes);
		const auto measured = make(hptt::MEASURE);
		memset(dst, 0xff, bytes); // bench has no such elements
		measured->execute();
		if (memcmp(dst, want.data(), bytes) == 0) made = measured;
	}

	void execute() override { made->execute(); }
};

} // namespace

extern "C" {

const char *hptt_version(void) { return VALUE(COMMIT); }

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
