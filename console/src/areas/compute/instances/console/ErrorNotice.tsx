import { hideNotice, useNotices } from '../../../../notices/notices'
import { Banner } from '../../../../ui/feedback/Banner'

/** Shows that an action failed. This page lacks the frame that normally shows notifications. */
export function ErrorNotice() {
  const notice = useNotices(({ notices }) => notices.find(({ type, showBottom }) => type === 'error' && showBottom))
  if (!notice) return null
  return (
    <Banner tone="bad" title={notice.title} onClose={() => hideNotice(notice.id)} isPageWide>
      {notice.message}
    </Banner>
  )
}
