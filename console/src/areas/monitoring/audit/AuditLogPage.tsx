import { useEffect, useRef } from 'react'
import { AUDIT_EXPORT_LIMIT, auditLog } from '@mainstay/contract/monitoring/audit-log'
import { addressOf } from '../../../api/address'
import { downloadFrom } from '../../../api/transfers/download'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { LazyMenu } from '../../../patterns/lazy-overlays'
import { Page } from '../../../patterns/Page'
import { columns } from '../../../patterns/table/columns'
import { ResourceTable } from '../../../patterns/table/ResourceTable'
import { Button } from '../../../ui/Button'
import { DownloadIcon } from '../../../ui/icons'
import css from './audit.module.css'
import { activityText, resultStatus, typeText } from './audit-words'
import { AuditObject } from './AuditObject'
import { useAuditLines, type AuditRow } from './use-audit-lines'

const column = columns<AuditRow>('audit')
const lineColumns = [
  column.node(
    'activity',
    'activity',
    (line, { t, tabIndex }) => (
      <Link to={`/audit-log/${line.id}`} keepsSearch className={css.activity} tabIndex={tabIndex}>
        {activityText(line, t)}
      </Link>
    ),
    { width: 240 },
  ),
  column.node('object', 'object', (line, { tabIndex }) => <AuditObject line={line} tabIndex={tabIndex} />, {
    width: 180,
    card: 'plain',
  }),
  column.node('username', 'user', ({ username }, { t }) => (username ? <bdi>{username}</bdi> : t('nobody')), {
    width: 150,
    card: 'plain',
  }),
  column.status('result', 'result', resultStatus, { width: 110 }),
  column.time('timestamp', 'time', { width: 140 }),
  column.mono('address', 'address', { width: 140 }),
  column.project('project_id', { width: 120 }),
  column.domain('domain_id', { width: 120 }),
  column.text('message', 'message', { isHidden: true, width: 260 }),
  column.mono('request_id', 'requestId', { isHidden: true, width: 200 }),
]

const download = (question: Readonly<Record<string, string>>, format: 'csv' | 'jsonl') =>
  downloadFrom(addressOf(auditLog.export.path, { ...question, format }))

/**
 * The audit log, newest first. New entries appear automatically while the list is scrolled to the top; otherwise a
 * button shows them.
 */
export default function AuditLogPage() {
  const t = useT('audit')
  const format = useFormat()
  const list = useAuditLines()
  const box = useRef<HTMLDivElement>(null)
  const { data: activities } = useView(auditLog.activities, {})
  const types = [...new Set(activities?.data.map(({ type }) => type))]

  const { newCount, showNew } = list
  useEffect(() => {
    const scroller = box.current?.querySelector('[role=grid]')?.parentElement
    if (newCount > 0 && (scroller?.scrollTop ?? 0) < 8) showNew()
  }, [newCount, showNew])

  const show = () => {
    showNew()
    box.current?.querySelector('[role=grid]')?.parentElement?.scrollTo({ top: 0 })
  }

  return (
    <Page
      title={t('title')}
      isFilled
      aside={
        newCount > 0 && (
          <Button variant="plain" onPress={show}>
            {t('new', { count: newCount })}
          </Button>
        )
      }
      actions={
        <LazyMenu
          label={t('export')}
          trigger={
            <Button icon={DownloadIcon} hint={t('export.note', { most: format.number(AUDIT_EXPORT_LIMIT) })}>
              {t('export')}
            </Button>
          }
          items={[
            { label: t('export.csv'), run: () => download(list.question, 'csv') },
            { label: t('export.jsonl'), run: () => download(list.question, 'jsonl') },
          ]}
        />
      }
    >
      <div ref={box} className={css.box}>
        <ResourceTable
          list={list}
          label={t('many')}
          isExported={false}
          columns={lineColumns}
          filters={[
            {
              name: 'result',
              label: t('result'),
              options: (['success', 'error', 'unknown'] as const).map((result) => ({
                value: result,
                label: resultStatus({ result }, t).text,
              })),
            },
            { name: 'username', label: t('user') },
            { name: 'from', label: t('from') },
            { name: 'to', label: t('to') },
            { name: 'object_name', label: t('object') },
            { name: 'object_id', label: t('objectId'), operator: 'exact' },
            { name: 'address', label: t('address'), operator: 'exact' },
            { name: 'project_id', label: t('project'), operator: 'in' },
            { name: 'domain_id', label: t('domain'), operator: 'exact' },
            { name: 'activity', label: t('activityName'), operator: 'exact' },
            {
              name: 'type',
              label: t('type'),
              options: types.map((type) => ({ value: type, label: typeText(type, t) })),
            },
          ]}
          empty={t('empty')}
        />
      </div>
    </Page>
  )
}
