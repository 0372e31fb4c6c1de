import { use } from 'react'
import { IframeContext } from '../../../nav/iframe'
import { useAppNavigate } from '../../../nav/use-app-navigate'

/** Closes a form that has nothing to send: returns to the page below it, or tells the page that embeds the form. */
export function useCancelForm(closeTo: string) {
  const go = useAppNavigate()
  const end = use(IframeContext)
  return () => (end ? end('cancel') : go(closeTo, { keepsSearch: true }))
}
