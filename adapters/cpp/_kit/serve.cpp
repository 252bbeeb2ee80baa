/* A client in C++ as an adapter of the C kit. */
#include "exchange.hpp"

namespace fetchoff
{

#ifdef __clang__
static const char runtime[] = "C++20, " __VERSION__;
#else
static const char runtime[] = "C++20, gcc " __VERSION__;
#endif

static Description description;
static MakeClient make_client;
static MakeLoop make_loop;

static std::vector<Exchange> exchanges;              /* fo_exchange::own is in here */
static std::vector<std::unique_ptr<Client>> clients; /* one for each thread */
static std::unique_ptr<Loop> loop;

static void describe(fo_description *us, fo_error *)
{
    us->client = description.client.c_str();
    us->version = description.version.c_str();
    us->runtime = runtime;
    us->engine = description.engine.c_str();
    us->features = description.features.c_str();
}

static void open(const fo_workload &workload)
{
    const Settings settings = settings_of(workload.settings);
    exchanges.reserve(workload.count);
    for (std::size_t i = 0; i < workload.count; i++) {
        exchanges.push_back(exchange_of(workload.exchanges[i]));
        workload.exchanges[i].own = &exchanges.back();
    }
    if (make_loop)
        loop = make_loop(settings);
    while (make_client && clients.size() < settings.concurrency)
        clients.push_back(make_client(settings));
}

static void prepare(fo_workload *workload, fo_error *error)
{
    static std::string unsupported;
    fo_read_bodies(workload, error);
    try {
        open(*workload);
    } catch (const Unsupported &feature) {
        unsupported = feature.what();
        workload->unsupported = unsupported.c_str();
    } catch (const std::exception &problem) {
        fo_fail(error, "%s", problem.what());
    }
}

static void do_exchange(const fo_exchange *exchange, fo_answer *answer)
{
    try {
        clients[answer->lane]->exchange(*static_cast<Exchange *>(exchange->own), Answer(answer));
    } catch (const std::exception &problem) {
        fo_fail(&answer->error, "%s", problem.what());
    }
}

static void begin(const fo_exchange *exchange, fo_answer *answer)
{
    try {
        loop->begin(*static_cast<Exchange *>(exchange->own), Answer(answer));
    } catch (const std::exception &problem) {
        fo_fail(&answer->error, "%s", problem.what());
        fo_finish(answer);
    }
}

static void wait()
{
    loop->wait();
}

static void reset(fo_workload *)
{
    clients.clear();
    loop.reset();
    exchanges.clear();
}

int serve(const Description &of, MakeClient make)
{
    description = of;
    make_client = std::move(make);
    fo_adapter adapter{};
    adapter.describe = describe;
    adapter.prepare = prepare;
    adapter.exchange = do_exchange;
    adapter.reset = reset;
    return fo_serve(&adapter);
}

int serve(const Description &of, MakeLoop make)
{
    description = of;
    make_loop = std::move(make);
    fo_adapter adapter{};
    adapter.describe = describe;
    adapter.prepare = prepare;
    adapter.begin = begin;
    adapter.wait = wait;
    adapter.reset = reset;
    return fo_serve(&adapter);
}

} // namespace fetchoff
