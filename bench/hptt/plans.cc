// HPTT by functions such as FFTW's, whose plans copy elements of 4 or 8 bytes: HPTT's own functions
// of C plan anew in every call. From the folder of HPTT's source (github.com/springer13/hptt):
//
//	make avx
//	g++ -std=c++11 -O2 -shared -fPIC -DCOMMIT="$(git log -1 --format=%h)" -Iinclude -Llib -o lib/libhptt-plans.so PLANS.CC -lhptt
//
// where PLANS.CC is this file. bench finds the library if LD_LIBRARY_PATH names the folder lib.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <hptt.h>

#define TEXT(x) #x
#define VALUE(x) TEXT(x)

namespace {

// A loop of so many iterations, and its strides in the source and in the destination, in elements.
struct loop {
	ptrdiff_t n, src, dst;
};

// packed returns whether loops are those over a packed array, the outermost first.
bool packed(const std::vector<loop> &loops, ptrdiff_t loop::*stride) {
	ptrdiff_t next = 1;
	for (auto l = loops.rbegin(); l != loops.rend(); ++l) {
		if ((*l).*stride != next) return false;
		next *= l->n;
	}
	return true;
}

template <class T> using plan = std::shared_ptr<hptt::Transpose<T>>;

// make returns a plan, or null if the loops are no permutation of the several axes of a packed array.
// HPTT estimates which plan is fast, or measures it, for ten seconds at most. Some plans that it
// measures leave elements out (commit 9425386, ranks of 3 and more). So the measured one is taken
// if it copies what the estimated one does.
template <class T> plan<T> *make(int rank, const loop *loops, void *src, void *dst) {
	std::vector<loop> to, from;
	std::copy_if(loops, loops + rank, std::back_inserter(to), [](const loop &l) { return l.n > 1; });
	std::sort(to.begin(), to.end(), [](const loop &a, const loop &b) { return a.dst > b.dst; });
	from = to;
	std::sort(from.begin(), from.end(), [](const loop &a, const loop &b) { return a.src > b.src; });
	if (to.size() < 2 || !packed(to, &loop::dst) || !packed(from, &loop::src)) return nullptr;
	std::vector<int> perm, sizes; // axis i of the destination is axis perm[i] of the source
	size_t bytes = sizeof(T);
	for (size_t i = 0; i < to.size(); i++) {
		perm.push_back(std::find_if(from.begin(), from.end(), [&](const loop &l) { return l.dst == to[i].dst; }) - from.begin());
		sizes.push_back(from[i].n);
		bytes *= from[i].n;
	}
	const auto by = [&](hptt::SelectionMethod method) {
		return hptt::create_plan(perm.data(), perm.size(), T(1), static_cast<T *>(src), sizes.data(), nullptr,
		                         T(0), static_cast<T *>(dst), nullptr, method, 1, nullptr, true);
	};
	const auto estimated = by(hptt::ESTIMATE);
	estimated->execute();
	const std::vector<char> want(static_cast<char *>(dst), static_cast<char *>(dst) + bytes);
	const auto measured = by(hptt::MEASURE);
	memset(dst, 0xff, bytes); // bench has no such elements
	measured->execute();
	return new plan<T>(memcmp(dst, want.data(), bytes) == 0 ? measured : estimated);
}

} // namespace

#define FUNCTIONS(prefix, T)                                                                                     \
	extern "C" {                                                                                                 \
	extern const char prefix##version[];                                                                         \
	const char prefix##version[] = "HPTT-" VALUE(COMMIT);                                                        \
	void *prefix##plan_guru64_r2r(int, const loop *, int rank, const loop *loops, void *src, void *dst,          \
	                              const int *, unsigned) {                                                       \
		return make<T>(rank, loops, src, dst);                                                                   \
	}                                                                                                            \
	void prefix##execute_r2r(void *p, void *, void *) { (*static_cast<plan<T> *>(p))->execute(); }               \
	void prefix##destroy_plan(void *p) { delete static_cast<plan<T> *>(p); }                                     \
	}
FUNCTIONS(hptt4_, float)
FUNCTIONS(hptt8_, double)
