import { textsNow } from '../i18n/use-t'

/**
 * Switches to another project or to the domain. On failure, the scope stays the same and a notification explains why.
 */
export function changePlace(go: () => Promise<void>): void {
  void go().catch(async (thrown: unknown) => {
    // the module is imported on demand, because it is not needed before the first list is shown
    const { notifyError: tellProblem } = await import('../notices/notify-error')
    tellProblem(thrown, textsNow('shell')('chooser.failed'))
  })
}
