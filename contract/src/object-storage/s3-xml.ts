const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/**
 * Escapes text for S3 request bodies. S3 parses XML 1.1, where control characters must be character references, and
 * where NEL (U+0085) and the line separator (U+2028) become line feeds: unescaped, a key with one of them would refer
 * to another object.
 */
export const escapeXml = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are matched on purpose
  text.replaceAll(/[&<>"\u0000-\u001f\u007f-\u009f\u2028]/g, (sign) => entities[sign] ?? `&#${sign.charCodeAt(0)};`)
