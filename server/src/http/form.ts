import { problem } from '@mainstay/contract/core/problems'
import { parseUniqueJson } from '@mainstay/contract/core/unique-json'

const unreadable = (cause?: unknown) => problem('core.unreadable_form', {}, { cause })

/**
 * Converts a form (multipart/form-data) to the equivalent JSON body: the part `json` contains the fields, and each file
 * becomes `{ name, data }` with Base64 data. Throws an `unreadable_payload` error if the form is invalid or repeats a
 * name.
 */
export async function readForm(contentType: string, body: Buffer): Promise<Record<string, unknown>> {
  let form: Awaited<ReturnType<Response['formData']>>
  try {
    form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()
  } catch (error) {
    throw unreadable(error)
  }
  const files: Record<string, unknown> = {}
  let fields: unknown = {}
  const names = [...form.keys()]
  if (new Set(names).size < names.length) throw unreadable()
  for (const [name, part] of form.entries()) {
    if (name === 'json') {
      try {
        fields = parseUniqueJson(typeof part === 'string' ? part : await part.text())
      } catch (error) {
        throw unreadable(error)
      }
    } else if (typeof part === 'string') throw unreadable()
    else files[name] = { name: part.name, data: Buffer.from(await part.arrayBuffer()).toString('base64') }
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) throw unreadable()
  if (Object.keys(files).some((name) => name in fields)) throw unreadable()
  return { ...fields, ...files }
}
