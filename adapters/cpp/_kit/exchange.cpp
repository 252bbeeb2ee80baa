/* Exchanges and settings, out of those of the C kit. */
#include "exchange.hpp"

namespace fetchoff
{

/* The protocol's URLs are absolute: scheme://host[:port][/path][?query]. */
Url::Url(std::string whole) : text(std::move(whole))
{
    const auto colon = text.find("://");
    const auto begin = colon + 3;
    const auto end = std::min(text.find_first_of("/?", begin), text.size());
    const auto port_at = text.rfind(':', end);
    const bool has_port = port_at != std::string::npos && port_at > begin && text[end - 1] != ']';
    scheme = text.substr(0, colon);
    host = text.substr(begin, (has_port ? port_at : end) - begin);
    port = has_port ? text.substr(port_at + 1, end - port_at - 1) : is_secure() ? "443" : "80";
    target = text.substr(end);
    if (target.empty() || target.front() == '?')
        target.insert(0, "/");
}

std::string Url::authority() const
{
    return host + ":" + port;
}

std::string Url::origin() const
{
    return scheme + "://" + authority();
}

bool Url::is_secure() const
{
    return scheme == "https";
}

std::string_view Exchange::content(std::string &room) const
{
    if (const auto *raw = std::get_if<Raw>(&body))
        return raw->content;
    fo_buffer text = {};
    fo_print_body(&text, &c->body);
    room.assign(text.data, text.size);
    fo_free(&text);
    return room;
}

bool Settings::option(const char *name, bool unless_given) const
{
    return fo_option(c, name, unless_given);
}

static std::vector<Field> fields_of(const fo_field *fields, std::size_t count)
{
    std::vector<Field> list;
    for (std::size_t i = 0; i < count; i++)
        list.emplace_back(fields[i].name, fields[i].value);
    return list;
}

static std::vector<File> files_of(const fo_body &body)
{
    std::vector<File> list;
    for (std::size_t i = 0; i < body.file_count; i++) {
        const fo_file &file = body.files[i];
        list.push_back({file.name, file.filename, file.content_type, file.path});
    }
    return list;
}

static decltype(Exchange::body) body_of(const fo_body &body)
{
    switch (body.kind) {
    case FO_FORM:
        return Form{fields_of(body.fields, body.field_count)};
    case FO_JSON:
        return Json{&body};
    case FO_MULTIPART:
        return Multipart{fields_of(body.fields, body.field_count), files_of(body)};
    case FO_RAW:
        return Raw{{body.file.data, body.file.size}};
    default:
        return {};
    }
}

Exchange exchange_of(const fo_exchange &exchange)
{
    return {exchange.method,
            Url(exchange.url),
            fields_of(exchange.fields, exchange.header_count),
            body_of(exchange.body),
            exchange.body.content_type ? exchange.body.content_type : "",
            &exchange};
}

static Milliseconds limit(long ms)
{
    return ms ? Milliseconds(ms) : std::nullopt;
}

Settings settings_of(const fo_settings &c)
{
    Settings settings{};
    settings.protocol = c.protocol;
    settings.reuse = c.reuse == FO_REUSE;
    settings.fresh = c.reuse == FO_FRESH;
    settings.whole = c.sink == FO_BUFFER || c.sink == FO_PARSE;
    if (c.read_size)
        settings.read_size = c.read_size;
    settings.cookies = c.cookies;
    settings.decompress = c.decompress;
    settings.redirects = static_cast<int>(c.redirects);
    settings.concurrency = c.concurrency;
    settings.connect = limit(c.connect_ms);
    settings.read = limit(c.read_ms);
    settings.total = limit(c.total_ms);
    if (c.tls_ca)
        settings.tls_ca = c.tls_ca;
    if (c.proxy)
        settings.proxy = Url(c.proxy);
    settings.c = &c;
    return settings;
}

} // namespace fetchoff
