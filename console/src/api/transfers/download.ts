import type { Endpoint } from '@mainstay/contract/core/endpoint'
import { problemFrom, send, type CallInput, type CallOptions } from '../call'

/** Calls an endpoint that responds with text, for example a console log. */
export async function callForText<E extends Endpoint>(endpoint: E, input: CallInput<E>, options: CallOptions = {}) {
  const response = await send(endpoint, input, options)
  if (!response.ok) throw await problemFrom(response)
  return response.text()
}

/**
 * Downloads an address natively, with the session cookie, so that no data passes through the page. An empty `name`
 * leaves the file name to the server. The link is removed after half a second, as some browsers read it late (S1§9);
 * then `after` runs.
 */
export function downloadFrom(address: string, name = '', after = () => {}) {
  const link = document.createElement('a')
  link.href = address
  link.download = name
  document.body.append(link)
  link.click()
  setTimeout(() => {
    link.remove()
    after()
  }, 500)
}

/** Saves content as a file in the browser. */
export function saveAsFile(name: string, content: BlobPart, type = 'text/plain') {
  const address = URL.createObjectURL(new Blob([content], { type }))
  downloadFrom(address, name, () => URL.revokeObjectURL(address))
}
