#include "message.h"

static SoupSession *session;

static void describe(struct fo_description *us, struct fo_error *error)
{
    (void)error;
    describe_soup(us, FEATURES " concurrency");
}

static void prepare(struct fo_workload *workload, struct fo_error *error)
{
    fo_read_bodies(workload, error);
    session = session_of(&workload->settings, error);
}

static void finish(SoupMessage *message, struct fo_answer *answer, GError *failure)
{
    take_error(answer, failure);
    answer->status = soup_message_get_status(message);
    g_object_unref(message);
    fo_finish(answer);
}

static void on_whole(GObject *source, GAsyncResult *result, void *answer)
{
    (void)source;
    GError *failure = NULL;
    SoupMessage *message = soup_session_get_async_result_message(session, result);
    take_content(answer, soup_session_send_and_read_finish(session, result, &failure));
    finish(message, answer, failure);
}

struct reading {
    SoupMessage *message;
    GInputStream *stream;
    struct fo_answer *answer;
};

static void read_next(struct reading *reading);

static void on_read(GObject *source, GAsyncResult *result, void *data)
{
    struct reading *reading = data;
    GError *failure = NULL;
    GBytes *content = g_input_stream_read_bytes_finish(G_INPUT_STREAM(source), result, &failure);
    bool is_last = !content || g_bytes_get_size(content) == 0;
    take_content(reading->answer, content);
    if (!is_last) {
        read_next(reading);
        return;
    }
    g_object_unref(reading->stream);
    finish(reading->message, reading->answer, failure);
    g_free(reading);
}

static void read_next(struct reading *reading)
{
    size_t size = reading->answer->settings->read_size;
    g_input_stream_read_bytes_async(reading->stream, size ? size : 8192, G_PRIORITY_DEFAULT, NULL,
                                    on_read, reading);
}

static void on_stream(GObject *source, GAsyncResult *result, void *answer)
{
    (void)source;
    GError *failure = NULL;
    SoupMessage *message = soup_session_get_async_result_message(session, result);
    GInputStream *stream = soup_session_send_finish(session, result, &failure);
    if (!stream) {
        finish(message, answer, failure);
        return;
    }
    struct reading *reading = g_new(struct reading, 1);
    *reading = (struct reading){message, stream, answer};
    read_next(reading);
}

static void begin(const struct fo_exchange *exchange, struct fo_answer *answer)
{
    SoupMessage *message = message_of(exchange, answer->settings);
    if (wants_whole(answer->settings))
        soup_session_send_and_read_async(session, message, G_PRIORITY_DEFAULT, NULL, on_whole,
                                         answer);
    else
        soup_session_send_async(session, message, G_PRIORITY_DEFAULT, NULL, on_stream, answer);
}

static void wait_for_events(void)
{
    g_main_context_iteration(NULL, TRUE);
}

static void reset(struct fo_workload *workload)
{
    (void)workload;
    soup_session_abort(session);
    g_clear_object(&session);
}

int main(void)
{
    return fo_serve(&(struct fo_adapter){.describe = describe,
                                         .prepare = prepare,
                                         .begin = begin,
                                         .wait = wait_for_events,
                                         .reset = reset});
}
