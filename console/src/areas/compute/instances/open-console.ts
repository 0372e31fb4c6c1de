import type { ConsoleProtocol } from '@mainstay/contract/compute/instances'
import { rootPath } from '../../../lib/root-path'
import { consolePath } from './resource'

/**
 * Opens an instance's graphical console or terminal in a separate browser tab, or switches to that tab if it is already
 * open.
 */
export function openConsole(id: string, protocol: ConsoleProtocol) {
  const address = `${rootPath.replace(/\/$/, '')}${consolePath(id)}`
  window.open(`${address}?protocol=${protocol}`, `console-${protocol}-${id}`)
}
