/* Linked into the driver's image: where its section INIT is. */
extern char __start_INIT[], __stop_INIT[];
const char *const fake_init_begin = __start_INIT, *const fake_init_end = __stop_INIT;
