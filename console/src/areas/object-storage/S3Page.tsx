import { lazy, Suspense, useEffect } from 'react'
import { useT } from '../../i18n/use-t'
import { paths } from '../../nav/paths'
import { useAppNavigate } from '../../nav/use-app-navigate'
import { Page, type PageProps } from '../../patterns/Page'
import { useSession } from '../../session/session'
import { Button } from '../../ui/Button'
import { Banner } from '../../ui/feedback/Banner'
import { loadUnfinished, useUnfinished } from './uploads/unfinished'
import { hostUploads, showUploads, useUploadPanel } from './uploads/upload-panel'

const UploadPanel = lazy(() => import('./uploads/UploadPanel'))

/**
 * Layout for object storage pages, with the upload panel. Redirects to the home page when object storage becomes
 * unavailable.
 */
export function S3Page({ children, ...props }: PageProps) {
  const go = useAppNavigate()
  const isLost = useSession(({ meta }) => meta !== null && !meta.services.s3.available)
  const showsUploads = useUploadPanel(({ isOpen }) => isOpen)
  useEffect(() => {
    if (isLost) go(paths.home(), { replace: true })
  }, [isLost, go])
  useEffect(() => hostUploads((to) => go(to)), [go])
  useEffect(() => {
    const look = () => void loadUnfinished()
    look()
    // another tab may have started or finished uploads
    addEventListener('focus', look)
    return () => removeEventListener('focus', look)
  }, [])
  return (
    <>
      <Page {...props}>
        {!showsUploads && <UnfinishedBanner />}
        {children}
      </Page>
      <Suspense fallback={null}>{showsUploads && <UploadPanel />}</Suspense>
    </>
  )
}

function UnfinishedBanner() {
  const t = useT('objectStorage')
  const count = useUnfinished(({ unfinished }) => unfinished.length)
  if (count === 0) return null
  return (
    <Banner
      tone="warn"
      title={t('unfinished.banner', { count })}
      action={
        <Button size="small" onPress={showUploads}>
          {t('unfinished.show')}
        </Button>
      }
    >
      {t('unfinished.bannerText')}
    </Banner>
  )
}
