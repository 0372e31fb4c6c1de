const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/**
 * A text as a document for S3 has it. S3 reads XML 1.1, in which control characters have to be references, and where NEL (U+0085)
 * and the line separator (U+2028) are line feeds: a key with one of them would name another object.
 */
export const escapeXml = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- those are meant
  text.replaceAll(/[&<>"\u0000-\u001f\u007f-\u009f\u2028]/g, (sign) => entities[sign] ?? `&#${sign.charCodeAt(0)};`)
