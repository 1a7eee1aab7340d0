// Multi-head attention. Tables show what belongs together (../operations/attention.rs).

// The place of a query.
struct Query {
    unsigned row;   // among the queries
    unsigned first; // key
    unsigned seen;  // keys
    unsigned start; // of its weights, `heads × seen`
};

// The place of a key.
struct Key {
    unsigned row;     // among the keys
    unsigned place;   // in its sentence
    unsigned queries; // the first one of its sentence, among `struct Query`
    unsigned count;   // of these
};

// The sizes that all heads share.
struct Heads {
    unsigned count;
    unsigned dim;     // columns of one in q and k
    unsigned width;   // and in v
    float factor;     // of products of queries and keys
    struct Mask mask; // of the weights
};

// The product of two heads.
__device__ static float dot(const float *a, const float *b, unsigned n) {
    float sum = 0;
    for (unsigned c = 0; c < n; c++) sum += a[c] * b[c];
    return sum;
}

// A block per query and head: weights, and y_h = Σ_j w_j · mask_j · v_jh.
KERNEL(attend)(const float *q, const float *k, const float *v, const struct Query *queries, struct Heads all,
               float *weights, float *y) {
    struct Query query = queries[blockIdx.x / all.count];
    unsigned heads = all.count, dim = all.dim, width = all.width, head = blockIdx.x % heads;
    u64 start = query.start + (u64)head * query.seen;
    float *w = weights + start;
    const float *own = q + ((u64)query.row * heads + head) * dim;
    FOR_BLOCK(j, 0, query.seen) {
        const float *other = k + ((u64)(query.first + j) * heads + head) * dim;
        w[j] = all.factor * dot(own, other, dim);
    }
    softmax(w, query.seen);
    FOR_BLOCK(c, 0, width) {
        float total = 0;
        for (unsigned j = 0; j < query.seen; j++) {
            float used = w[j] * mask_factor(start + j, all.mask);
            total += used * v[((u64)(query.first + j) * heads + head) * width + c];
        }
        y[((u64)query.row * heads + head) * width + c] = total;
    }
}

// A block per query and head: the derivatives by what the softmax saw, and by q. `guide`: derivatives by the weights
// from elsewhere, or nothing.
KERNEL(attend_queries)(const float *k, const float *v, const struct Query *queries, struct Heads all,
                       const float *weights, const float *guide, const float *grad, float *derivatives,
                       float *q_grad) {
    struct Query query = queries[blockIdx.x / all.count];
    unsigned heads = all.count, dim = all.dim, width = all.width, head = blockIdx.x % heads;
    u64 start = query.start + (u64)head * query.seen;
    float *d = derivatives + start;
    const float *own = grad + ((u64)query.row * heads + head) * width;
    FOR_BLOCK(j, 0, query.seen) {
        const float *other = v + ((u64)(query.first + j) * heads + head) * width;
        d[j] = dot(own, other, width) * mask_factor(start + j, all.mask) + (guide ? guide[start + j] : 0.0f);
    }
    __syncthreads();
    softmax_backward(weights + start, d, query.seen);
    FOR_BLOCK(c, 0, dim) {
        float total = 0;
        for (unsigned j = 0; j < query.seen; j++) total += d[j] * k[((u64)(query.first + j) * heads + head) * dim + c];
        q_grad[((u64)query.row * heads + head) * dim + c] = all.factor * total;
    }
}

// A block per key and head: the derivatives by k and v, over the queries that see it.
KERNEL(attend_keys)(const float *q, const struct Query *queries, const struct Key *keys, struct Heads all,
                    const float *weights, const float *derivatives, const float *grad, float *k_grad, float *v_grad) {
    struct Key key = keys[blockIdx.x / all.count];
    unsigned heads = all.count, dim = all.dim, width = all.width, head = blockIdx.x % heads;
    FOR_BLOCK(c, 0, width) {
        float total = 0;
        for (unsigned i = key.queries; i < key.queries + key.count; i++) {
            struct Query query = queries[i];
            if (key.place >= query.seen) continue;
            u64 at = query.start + (u64)head * query.seen + key.place;
            float used = weights[at] * mask_factor(at, all.mask);
            total += used * grad[((u64)query.row * heads + head) * width + c];
        }
        v_grad[((u64)key.row * heads + head) * width + c] = total;
    }
    FOR_BLOCK(c, 0, dim) {
        float total = 0;
        for (unsigned i = key.queries; i < key.queries + key.count; i++) {
            struct Query query = queries[i];
            if (key.place >= query.seen) continue;
            u64 at = query.start + (u64)head * query.seen + key.place;
            total += derivatives[at] * q[((u64)query.row * heads + head) * dim + c];
        }
        k_grad[((u64)key.row * heads + head) * dim + c] = all.factor * total;
    }
}
