import { lazy, Suspense, useEffect } from 'react'
import { paths } from '../../nav/paths'
import { useGo } from '../../nav/use-go'
import { Page, type PageProps } from '../../patterns/Page'
import { useSession } from '../../session/session'
import { hostUploads, useUploadDialog } from './uploads/upload-dialog'

const UploadDialog = lazy(() => import('./uploads/UploadDialog'))

/**
 * A page of object storage, with the dialog of uploads. Where object storage is lost while somebody looks at it, they go where
 * `/` leads without it.
 */
export function S3Page(props: PageProps) {
  const go = useGo()
  const isLost = useSession(({ meta }) => meta !== null && !meta.services.s3.available)
  const showsUploads = useUploadDialog(({ isOpen }) => isOpen)
  useEffect(() => {
    if (isLost) go(paths.home(), { replace: true })
  }, [isLost, go])
  useEffect(() => hostUploads((to) => go(to)), [go])
  return (
    <>
      <Page {...props} />
      <Suspense fallback={null}>{showsUploads && <UploadDialog />}</Suspense>
    </>
  )
}
