package kit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"os"
	"strings"
)

var quotes = strings.NewReplacer("\\", "\\\\", `"`, "\\\"")

// Encode gives the content as the standard library encodes it, and its type. It is whole in memory,
// so that its length is known.
func (b *Body) Encode() (content []byte, contentType string, err error) {
	switch b.Kind {
	case "form":
		values := url.Values{}
		for _, field := range b.Fields {
			values.Add(field[0], field[1])
		}
		return []byte(values.Encode()), "application/x-www-form-urlencoded", nil
	case "json":
		content, err = json.Marshal(b.Value)
		return content, "application/json", err
	case "multipart":
		return b.encodeMultipart()
	}
	return b.Data, b.ContentType, nil
}

func (b *Body) encodeMultipart() ([]byte, string, error) {
	content := new(bytes.Buffer)
	writer := multipart.NewWriter(content)
	for _, field := range b.Fields {
		if err := writer.WriteField(field[0], field[1]); err != nil {
			return nil, "", err
		}
	}
	for _, file := range b.Files {
		if err := writeFile(writer, file); err != nil {
			return nil, "", err
		}
	}
	err := writer.Close()
	return content.Bytes(), writer.FormDataContentType(), err
}

func writeFile(writer *multipart.Writer, file File) error {
	source, err := os.Open(file.Path)
	if err != nil {
		return err
	}
	defer source.Close()
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition", fmt.Sprintf(`form-data; name="%s"; filename="%s"`,
		quotes.Replace(file.Name), quotes.Replace(file.Filename)))
	header.Set("Content-Type", file.ContentType)
	part, err := writer.CreatePart(header)
	if err != nil {
		return err
	}
	_, err = io.Copy(part, source)
	return err
}
