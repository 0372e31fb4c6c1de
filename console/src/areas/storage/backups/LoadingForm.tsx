import { problemText } from '../../../api/problem-text'
import type { View } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useDelayed } from '../../../lib/use-delayed'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { Dialog } from '../../../ui/overlays/Dialog'
import { Drawer } from '../../../ui/overlays/Drawer'
import { useCancelForm } from './use-cancel-form'

interface LoadingFormProps {
  title: string
  /** What could not be loaded, if the view fails. */
  failed: string
  view: View<unknown>
  closeTo: string
  /** In a side drawer (default), or in a centered dialog. */
  place?: 'side' | 'middle'
}

/** Shown in place of a form until the object in the URL is loaded. */
export function LoadingForm({ title, failed, view, closeTo, place = 'side' }: LoadingFormProps) {
  const shell = useT('shell')
  const { problem, reload, isLoading } = view
  const isLate = useDelayed(isLoading)
  const close = useCancelForm(closeTo)
  const content = problem ? (
    <ErrorPanel
      title={failed}
      why={problemText(problem, shell)}
      id={problem.requestId}
      onRetry={problem.kind === 'not-found' ? undefined : reload}
    />
  ) : (
    isLate && <Skeleton width="60%" />
  )
  return place === 'side' ? (
    <Drawer isOpen isModal title={title} onClose={close}>
      {content}
    </Drawer>
  ) : (
    <Dialog isOpen isFirm title={title} onClose={close} size="normal">
      {content}
    </Dialog>
  )
}
