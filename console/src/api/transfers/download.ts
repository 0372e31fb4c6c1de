import type { Endpoint } from '@mainstay/contract/core/endpoint'
import { problemFrom, send, type CallInput, type CallOptions } from '../call'

/** Calls an endpoint that returns plain text, such as a console log. */
export async function callForText<E extends Endpoint>(endpoint: E, input: CallInput<E>, options: CallOptions = {}) {
  const response = await send(endpoint, input, options)
  if (!response.ok) throw await problemFrom(response)
  return response.text()
}

/**
 * Lets the browser download a URL with the session cookie, so that the data does not pass through the page. With an
 * empty `name`, the server chooses the file name. The link is removed after half a second, because some browsers read
 * it late (S1§9); then `after` runs.
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

/** Offers content to the user as a file download. */
export function saveAsFile(name: string, content: BlobPart, type = 'text/plain') {
  const address = URL.createObjectURL(new Blob([content], { type }))
  downloadFrom(address, name, () => URL.revokeObjectURL(address))
}
