import { hideNotice, useNotices } from '../../../../notices/notices'
import { Banner } from '../../../../ui/feedback/Banner'

/** An action that failed. The corner that says so elsewhere belongs to the frame, which is not here. */
export function ErrorNotice() {
  const notice = useNotices(({ notices }) => notices.find(({ type, showBottom }) => type === 'error' && showBottom))
  if (!notice) return null
  return (
    <Banner tone="bad" title={notice.title} onClose={() => hideNotice(notice.id)} isPageWide>
      {notice.message}
    </Banner>
  )
}
