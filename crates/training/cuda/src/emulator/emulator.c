// Runs kernels as a GPU would, on one thread of the CPU: the blocks of a launch one after the other, the threads of a
// block as fibers that take turns at barriers. So a kernel sees the same indices, the same shared memory and the same
// barriers as on a device; only that threads of a warp run at once is not shown. The order of the threads can be
// reversed: where a barrier is missing, results change with it.

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>

// What kernels find in CUDA C++. Tests run on several threads at once, each its own emulator.
#define EMULATED
#define KERNEL(name) void emulated_##name
#define KERNEL_IN_PAIRS KERNEL
#define KERNEL_IN_BLOCKS(name, threads, blocks) KERNEL(name)
#define __device__
#define __shared__ static _Thread_local
#define __syncthreads barrier

struct Index {
    unsigned x;
};
static _Thread_local struct Index threadIdx, blockIdx, blockDim, gridDim;
static void barrier(void);

#include "../kernels/common.cu"

#include "../kernels/elementwise.cu"

#include "../kernels/rows.cu"

#include "../kernels/normalisation.cu"

#include "../kernels/attention.cu"

#include "../kernels/additive_attention.cu"

#include "../kernels/cells.cu"

#include "../kernels/training.cu"

#include "../kernels/tensor_cores.cu"

#include "../kernels/maps.cu"

#include "../kernels/decoding.cu"

#include "../kernels/recurrent.cu"

#define STACK (64 * 1024)

// A thread of a block. It is made once and then runs one kernel after the other.
typedef struct {
    char *stack; // none: not made yet
    ucontext_t start;
    jmp_buf state;
    int finished;
} Fiber;

static _Thread_local Fiber fibers[BLOCK];
static _Thread_local jmp_buf scheduler;
static _Thread_local void (*kernel)(const void *);
static _Thread_local const void *arguments;

// From a fiber back to the scheduler, until it is this fiber's turn again.
static void barrier(void) {
    if (!_setjmp(fibers[threadIdx.x].state)) _longjmp(scheduler, 1);
}

static void run_kernels(void) {
    for (;;) {
        kernel(arguments);
        fibers[threadIdx.x].finished = 1;
        barrier();
    }
}

// Makes the fiber and begins it. Returns whether there was memory for it; if so the fiber's first barrier is over.
static int begin(Fiber *fiber) {
    fiber->stack = malloc(STACK);
    if (!fiber->stack || getcontext(&fiber->start)) return 0;
    fiber->start.uc_stack.ss_sp = fiber->stack;
    fiber->start.uc_stack.ss_size = STACK;
    makecontext(&fiber->start, run_kernels, 0);
    if (!_setjmp(scheduler)) setcontext(&fiber->start);
    return 1;
}

// Runs thread t up to its next barrier or its end.
static int resume(unsigned t) {
    threadIdx.x = t;
    if (!fibers[t].stack) return begin(&fibers[t]);
    if (!_setjmp(scheduler)) _longjmp(fibers[t].state, 1);
    return 1;
}

// Runs a kernel in all threads of all blocks. Returns 0, or 1 if some threads of a block ended while others waited at a
// barrier, or 2 if there is no memory.
int emulated_launch(unsigned blocks, unsigned threads, void (*body)(const void *), const void *values, int reversed) {
    kernel = body, arguments = values;
    gridDim.x = blocks, blockDim.x = threads;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) {
        unsigned waiting = threads;
        for (unsigned t = 0; t < threads; t++) fibers[t].finished = 0;
        while (waiting) {
            for (unsigned i = 0; i < threads; i++)
                if (!resume(reversed ? threads - 1 - i : i)) return 2;
            waiting = 0;
            for (unsigned t = 0; t < threads; t++) waiting += !fibers[t].finished;
            if (waiting && waiting < threads) return 1;
        }
    }
    return 0;
}
