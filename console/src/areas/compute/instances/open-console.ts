import type { ConsoleProtocol } from '@mainstay/contract/compute/instances'
import { rootPath } from '../../../lib/root-path'
import { consolePath } from './resource'

/** Opens the screen or terminal of an instance in a browser tab of its own, or brings that tab to the front. */
export function openConsole(id: string, protocol: ConsoleProtocol) {
  const address = `${rootPath.replace(/\/$/, '')}${consolePath(id)}`
  window.open(`${address}?protocol=${protocol}`, `console-${protocol}-${id}`)
}
