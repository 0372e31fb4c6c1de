import type { ConsoleProtocol } from '@mainstay/contract/compute/instances'
import { rootPath } from '../../../lib/root-path'
import { consolePath } from './resource'

/** The screen or terminal of an instance, in a tab of its own: one tab for each, which is brought to the front again. */
export function openConsole(id: string, protocol: ConsoleProtocol) {
  const address = `${rootPath.replace(/\/$/, '')}${consolePath(id)}`
  window.open(`${address}?protocol=${protocol}`, `console-${protocol}-${id}`)
}
