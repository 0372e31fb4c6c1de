import type { Endpoint } from '@mainstay/contract/core/endpoint'
import { problemFrom, send, type CallInput, type CallOptions } from '../call'

/** The text that a call answers with: a console log, for example. */
export async function callForText<E extends Endpoint>(endpoint: E, input: CallInput<E>, options: CallOptions = {}) {
  const response = await send(endpoint, input, options)
  if (!response.ok) throw await problemFrom(response)
  return response.text()
}

/**
 * Lets the browser download an address itself, with its cookie, so that nothing passes through the page. The server names the file
 * where `name` is empty. The link stays for half a second: some browsers read it late (S1§9). Then it is removed, and `after` runs.
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

/** Hands a text to the browser as a file. */
export function saveAsFile(name: string, content: BlobPart, type = 'text/plain') {
  const address = URL.createObjectURL(new Blob([content], { type }))
  downloadFrom(address, name, () => URL.revokeObjectURL(address))
}
