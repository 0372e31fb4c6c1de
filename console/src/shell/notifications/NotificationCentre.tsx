import { useEffect, useState } from 'react'
import { useT } from '../../i18n/use-t'
import { mute, useNoticeSettings } from '../../notices/notice-settings'
import { noticeFilters, type NoticeFilter } from '../../notices/notice-types'
import { clearNotices, isOfType, markNoticesSeen, useNotices } from '../../notices/notices'
import { useFeature } from '../../features/features'
import { Button } from '../../ui/Button'
import { Banner } from '../../ui/feedback/Banner'
import { EmptyState } from '../../ui/feedback/EmptyState'
import { Select } from '../../ui/fields/Select'
import { MutedIcon } from '../../ui/icons'
import { Tabs, type TabItem } from '../../ui/Tabs'
import { NoticeConfiguration } from './NoticeConfiguration'
import { NoticeItem } from './NoticeItem'
import { TaskItems } from './TaskItems'
import css from './NotificationCentre.module.css'

type TabId = 'notices' | 'tasks' | 'configuration'

interface NotificationCentreProps {
  /** IDs of notifications that were unseen when the list was opened. */
  news: ReadonlySet<string>
  /** Called when the user navigates to another page. */
  onLeave: () => void
}

/** The panel opened by the bell: notifications, the user’s tasks, and settings. */
export default function NotificationCentre({ news, onLeave }: NotificationCentreProps) {
  const t = useT('notices')
  const [tab, setTab] = useState<TabId>('notices')
  const hasTasks = useFeature('tasks-notifications')
  const isQuiet = useNoticeSettings(({ muted }) => muted.all)
  const notices = useNotices((state) => state.notices)
  // notifications that arrive while the list is open count as seen
  useEffect(markNoticesSeen, [notices])
  const going = notices.filter(({ task, type }) => task && type === 'progress').length
  const items: TabItem<TabId>[] = [
    { id: 'notices', label: t('tab.notices'), count: news.size > 0 ? t('tab.new', { count: news.size }) : undefined },
    ...(hasTasks ? [{ id: 'tasks' as const, label: t('tab.tasks'), count: going > 0 ? going : undefined }] : []),
    { id: 'configuration', label: t('tab.configuration') },
  ]
  const shown = tab === 'tasks' && !hasTasks ? 'notices' : tab
  return (
    <div className={css.centre}>
      {isQuiet && (
        <Banner
          tone="idle"
          icon={MutedIcon}
          action={
            <Button size="small" onPress={() => mute('all', false)}>
              {t('quiet.end')}
            </Button>
          }
        >
          {t('quiet.banner')}
        </Banner>
      )}
      <Tabs label={t('label')} items={items} selected={shown} onChange={setTab}>
        {shown === 'notices' && <NoticeList news={news} onLeave={onLeave} />}
        {shown === 'tasks' && <TaskItems onLeave={onLeave} />}
        {shown === 'configuration' && <NoticeConfiguration />}
      </Tabs>
    </div>
  )
}

function NoticeList({ news, onLeave }: NotificationCentreProps) {
  const t = useT('notices')
  const [filter, setFilter] = useState<NoticeFilter>('all')
  const notices = useNotices((state) => state.notices)
  const shown = notices.filter(isOfType(filter))
  const parts = [
    ['new', shown.filter(({ id, type }) => news.has(id) || type === 'progress')],
    ['earlier', shown.filter(({ id, type }) => !news.has(id) && type !== 'progress')],
  ] as const
  const hasParts = parts.every(([, found]) => found.length > 0)
  return (
    <>
      <div className={css.bar}>
        <Select
          label={t('filter.label')}
          isLabelHidden
          items={noticeFilters.map((id) => ({ id, label: t(`filter.${id}`) }))}
          value={filter}
          onChange={setFilter}
        />
        <Button variant="plain" size="small" isDisabled={shown.length === 0} onPress={() => clearNotices(filter)}>
          {t('clear')}
        </Button>
      </div>
      <div className={css.list}>
        {shown.length === 0 && <EmptyState>{t(filter === 'all' ? 'empty.all' : `empty.${filter}`)}</EmptyState>}
        {parts.map(([name, found]) => (
          <section key={name} aria-label={t(`part.${name}`)} hidden={found.length === 0}>
            {hasParts && <h3 className={css.part}>{t(`part.${name}`)}</h3>}
            <ul>
              {found.map((notice) => (
                <li key={notice.id} className={css.line}>
                  <NoticeItem notice={notice} onLeave={onLeave} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  )
}
