import { rootPath } from '../../../lib/root-path'
import { paths } from '../../../nav/paths'

/** The screen of an instance, in a tab of its own: one tab for each, which is brought to the front again. */
export function openConsole(id: string) {
  window.open(`${rootPath.replace(/\/$/, '')}${paths.instances.console(id)}`, `console-${id}`)
}
