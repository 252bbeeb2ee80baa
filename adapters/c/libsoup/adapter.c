#include "message.h"

static SoupSession *session;

static void describe(struct fo_description *us, struct fo_error *error)
{
    (void)error;
    describe_soup(us, FEATURES);
}

static void prepare(struct fo_workload *workload, struct fo_error *error)
{
    fo_read_bodies(workload, error);
    session = session_of(&workload->settings, error);
}

static void read_stream(SoupMessage *message, struct fo_answer *answer)
{
    GError *failure = NULL;
    GInputStream *stream = soup_session_send(session, message, NULL, &failure);
    size_t size = answer->settings->read_size ? answer->settings->read_size : 8192;
    gssize count = stream ? 1 : 0;
    while (count > 0) {
        count = g_input_stream_read(stream, fo_content_room(answer, size), size, NULL, &failure);
        if (count > 0 && !fo_content_read(answer, count))
            break;
    }
    take_error(answer, failure);
    g_clear_object(&stream);
}

static void exchange(const struct fo_exchange *exchange, struct fo_answer *answer)
{
    SoupMessage *message = message_of(exchange, answer->settings);
    GError *failure = NULL;
    if (wants_whole(answer->settings)) {
        take_content(answer, soup_session_send_and_read(session, message, NULL, &failure));
        take_error(answer, failure);
    } else {
        read_stream(message, answer);
    }
    answer->status = soup_message_get_status(message);
    g_object_unref(message);
}

static void reset(struct fo_workload *workload)
{
    (void)workload;
    soup_session_abort(session);
    g_clear_object(&session);
}

int main(void)
{
    return fo_serve(&(struct fo_adapter){
        .describe = describe, .prepare = prepare, .exchange = exchange, .reset = reset});
}
