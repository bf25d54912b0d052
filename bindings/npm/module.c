// What abut.wasm has besides the library: a world's callbacks, which JavaScript cannot be, as an import and a last
// error.
#include <abut/abut.h>

// The last call that failed. JavaScript reads it where a status is not ABUT_OK.
typedef struct module_error
{
    const char *call, *sentence;
    uint32_t index;
} module_error;

static module_error last;

// Writes true to vetoed[i] for each pair that shall not touch. `world` is the number JavaScript gave.
__attribute__((import_module("abut"), import_name("veto"))) void module_veto(uint32_t world, const abut_new_pair *pairs,
                                                                             uint32_t count, bool *vetoed);

static void keep_error(void *context, abut_status status, const char *call, uint32_t index, const char *sentence)
{
    (void)context, (void)status;
    last = (module_error){ call, sentence, index };
}

static void ask(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed)
{
    module_veto((uint32_t)(uintptr_t)context, pairs, count, vetoed);
}

// As abut_world_create. `veto` is the world's number for module_veto; zero: no veto.
__attribute__((export_name("module_world_create"))) abut_status module_world_create(abut_world_def *def, uint32_t veto,
                                                                                    abut_world **out)
{
    def->on_error = keep_error;
    def->veto = veto > 0 ? ask : NULL;
    def->veto_context = (void *)(uintptr_t)veto; // NOLINT(performance-no-int-to-ptr): nothing is read through it
    return abut_world_create(def, out);
}

// The last error, forgotten with this.
__attribute__((export_name("module_take_error"))) const module_error *module_take_error(void)
{
    static module_error taken;
    taken = last;
    last = (module_error){ 0 };
    return &taken;
}
