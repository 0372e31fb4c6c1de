import { useId, type ReactNode } from 'react'
import { fillPath, remove } from '@mainstay/contract/core/endpoint'
import { reports, type Report } from '@mainstay/contract/settings/reports'
import { addressOf } from '../../../api/address'
import { problemText } from '../../../api/problem-text'
import { downloadFrom } from '../../../api/transfers/download'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { confirm } from '../../../patterns/dialogs/confirm'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { DeleteIcon, DownloadIcon } from '../../../ui/icons'
import { Bytes } from '../../../ui/values/Bytes'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { Time } from '../../../ui/values/Time'
import css from './reports.module.css'

/** Polling interval, needed because new reports do not send events. */
const LOOK_MS = 5000

const download = ({ id }: Report) => downloadFrom(addressOf(fillPath(reports.download.path, { id })))

/** Stored reports, which can be downloaded and deleted. */
export function ReportList({ action }: { action: ReactNode }) {
  const t = useT('reports')
  const shell = useT('shell')
  const id = useId()
  const { data, problem, reload } = useView(reports.list, {}, { everyMs: LOOK_MS })
  return (
    <section aria-labelledby={id}>
      <header className={css.head}>
        <div>
          <h2 id={id}>{t('reports')}</h2>
          <p>{t('reports.help')}</p>
        </div>
        {action}
      </header>
      {problem && <ErrorPanel title={problemText(problem, shell)} onRetry={reload} id={problem.requestId} />}
      {!data && !problem && <Skeleton width="60%" />}
      {data?.data.length === 0 && <p className={css.none}>{t('none')}</p>}
      {data && data.data.length > 0 && (
        <ul className={css.list}>
          {data.data.map((report) => (
            <ReportLine key={report.id} report={report} />
          ))}
        </ul>
      )}
    </section>
  )
}

function ReportLine({ report }: { report: Report }) {
  const t = useT('reports')
  const may = useMay()
  const drop = useCall(reports.delete, { refresh: [reports.list] })
  const { id, created_at, username, contact_email, problem_description, size, sent_at, send_error } = report
  const when = created_at.slice(0, 16).replace('T', ' ')
  const ask = () =>
    void confirm({
      title: t('deleteQuestion'),
      text: t('deleteText', { who: username }),
      verb: t('delete'),
      isDanger: true,
      run: async (signal) => {
        await drop.run({ params: { id } }, { signal })
        toast(t('deleted'))
      },
    })
  return (
    <li className={css.line}>
      <div className={css.words}>
        <strong className={css.text}>
          <bdi>{problem_description === '' ? contact_email : problem_description}</bdi>
        </strong>
        <span className={css.notes}>
          <Time at={created_at} show="both" />
          <bdi>{username}</bdi>
          <bdi>{contact_email}</bdi>
          {size !== null && <Bytes of={size} />}
        </span>
        {size === null && <StatusBadge tone="busy">{t('making')}</StatusBadge>}
        {sent_at !== null && (
          <span className={css.notes}>
            <StatusBadge tone="ok">{t('sent')}</StatusBadge>
            <Time at={sent_at} />
          </span>
        )}
        {send_error !== null && <StatusBadge tone="bad">{t('notSent', { why: send_error })}</StatusBadge>}
      </div>
      {size !== null && (
        <div className={css.actions}>
          <Button icon={DownloadIcon} aria-label={t('downloadNamed', { when })} onPress={() => download(report)}>
            {t('download')}
          </Button>
          {may(remove('reports')) && (
            <Button icon={DeleteIcon} aria-label={t('deleteNamed', { when })} onPress={ask}>
              {t('delete')}
            </Button>
          )}
        </div>
      )}
    </li>
  )
}
