// Choosing, joining and cutting rows and columns.

#define NO_ID 0xffffffffu

// Copies a block of `cols` columns, or adds it; x and y point to its first numbers in matrices of `x_cols` and `y_cols`
// columns.
KERNEL(block)(const float *x, unsigned x_cols, float *y, unsigned y_cols, unsigned cols, u64 n, unsigned add) {
    FOR_EACH(i, n) {
        float value = x[i / cols * x_cols + i % cols];
        float *to = y + i / cols * y_cols + i % cols;
        *to = add ? *to + value : value;
    }
}

// Row i of y ← factor · row ids[i] of the table; zeros where there is none.
KERNEL(lookup)(const float *table, const unsigned *ids, float factor, float *y, unsigned cols, u64 n) {
    FOR_EACH(i, n) {
        unsigned id = ids[i / cols];
        y[i] = id == NO_ID ? 0.0f : factor * table[(u64)id * cols + i % cols];
    }
}

// A block per row that grows: row targets[b] of sum by factor · the rows of grad that sources[starts[b]..starts[b + 1]]
// names, in this order. What is fresh has no numbers yet.
KERNEL(add_rows)(const float *grad, const unsigned *targets, const unsigned *starts, const unsigned *sources,
                 float factor, float *sum, unsigned cols, unsigned fresh) {
    unsigned b = blockIdx.x;
    FOR_BLOCK(c, 0, cols) {
        float total = 0;
        UNROLL_BY_8
        for (unsigned s = starts[b]; s < starts[b + 1]; s++) total += grad[(u64)sources[s] * cols + c];
        float *to = sum + (u64)targets[b] * cols + c;
        *to = factor * total + (fresh ? 0.0f : *to);
    }
}

// Spans are pairs: first row, and the row after the last.

// Row i of y ← the mean of the rows of x in span i.
KERNEL(means)(const float *x, const unsigned *spans, float *y, unsigned cols, u64 n) {
    FOR_EACH(i, n) {
        const unsigned *span = spans + 2 * (i / cols);
        float total = 0;
        for (unsigned r = span[0]; r < span[1]; r++) total += x[(u64)r * cols + i % cols];
        y[i] = span[1] > span[0] ? total / (span[1] - span[0]) : 0.0f;
    }
}

// Each row of sum grows by the rows of grad whose spans it is in, divided by the spans' lengths.
KERNEL(add_to_means)(const float *grad, const unsigned *spans, unsigned count, float *sum, unsigned cols, u64 n) {
    FOR_EACH(i, n) {
        unsigned row = (unsigned)(i / cols);
        for (unsigned s = 0; s < count; s++) {
            const unsigned *span = spans + 2 * s;
            if (span[0] <= row && row < span[1]) sum[i] += grad[(u64)s * cols + i % cols] / (span[1] - span[0]);
        }
    }
}

// Each row of y ← row
KERNEL(repeat)(const float *row, float *y, unsigned cols, u64 n) {
    FOR_EACH(i, n) y[i] = row[i % cols];
}

// y_t ← f_t · y_{t-1} + (1 - f_t) · x_t from y = 0 at the start of each span: a thread per span and column.
KERNEL(leaky_sum)(const float *f, const float *x, const unsigned *spans, float *y, unsigned cols, u64 n) {
    FOR_EACH(i, n) {
        const unsigned *span = spans + 2 * (i / cols);
        float before = 0;
        for (unsigned t = span[0]; t < span[1]; t++) {
            u64 at = (u64)t * cols + i % cols;
            before = y[at] = f[at] * before + (1.0f - f[at]) * x[at];
        }
    }
}

// The derivative by f, and what x adds to its own.
KERNEL(leaky_sum_backward)(const float *f, const float *x, const float *y, const unsigned *spans, const float *grad,
                           float *by_f, float *sum, unsigned cols, u64 n) {
    FOR_EACH(i, n) {
        const unsigned *span = spans + 2 * (i / cols);
        float carried = 0; // the derivative by y_t, of which f_t is handed to y_{t-1}
        for (unsigned t = span[1]; t-- > span[0];) {
            u64 at = (u64)t * cols + i % cols;
            float before = t == span[0] ? 0.0f : y[at - cols];
            float d = grad[at] + carried;
            sum[at] += d * (1.0f - f[at]);
            by_f[at] = d * (before - x[at]);
            carried = d * f[at];
        }
    }
}

// y_t ← the mean of the rows of x in the span up to row t.
KERNEL(running_mean)(const float *x, const unsigned *spans, float *y, unsigned cols, u64 n) {
    FOR_EACH(i, n) {
        const unsigned *span = spans + 2 * (i / cols);
        float total = 0;
        for (unsigned t = span[0]; t < span[1]; t++) {
            u64 at = (u64)t * cols + i % cols;
            total += x[at];
            y[at] = total / (t - span[0] + 1);
        }
    }
}

// What x adds to its derivative.
KERNEL(running_mean_backward)(const unsigned *spans, const float *grad, float *sum, unsigned cols, u64 n) {
    FOR_EACH(i, n) {
        const unsigned *span = spans + 2 * (i / cols);
        float carried = 0;
        for (unsigned t = span[1]; t-- > span[0];) {
            u64 at = (u64)t * cols + i % cols;
            carried += grad[at] / (t - span[0] + 1);
            sum[at] += carried;
        }
    }
}
