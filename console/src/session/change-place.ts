import { textsNow } from '../i18n/use-t'

/** Goes on in another project or in the domain. Where that fails one stays, and the corner of the page says why. */
export function changePlace(go: () => Promise<void>): void {
  void go().catch(async (thrown: unknown) => {
    // nobody waits for this before the first list is drawn
    const { notifyError: tellProblem } = await import('../notices/notify-error')
    tellProblem(thrown, textsNow('shell')('chooser.failed'))
  })
}
