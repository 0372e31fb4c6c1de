import type { AuditLine } from '@mainstay/contract/monitoring/audit-lines'
import { auditLog } from '@mainstay/contract/monitoring/audit-log'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { DrawerPage } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import OwnerName from '../../../patterns/owners/OwnerName'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { Mono } from '../../../ui/values/Mono'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { Time } from '../../../ui/values/Time'
import css from './audit.module.css'
import { activityText, resultStatus } from './audit-words'
import { AuditObject } from './AuditObject'

/** Shows an audit log entry with all its fields. */
export default function AuditLinePage() {
  const t = useT('audit')
  const view = useView(auditLog.view, { id: useParam('id') })
  return (
    <DrawerPage
      view={view}
      what={t('one')}
      title={(line) => activityText(line, t)}
      subtitle={(line) => <Result line={line} />}
      closeTo="/audit-log"
    >
      {(line) => <LineFacts line={line} />}
    </DrawerPage>
  )
}

function Result({ line }: { line: AuditLine }) {
  const { tone, text } = resultStatus(line, useT('audit'))
  return <StatusBadge tone={tone}>{text}</StatusBadge>
}

const mono = (text: string | null) => text && <Mono>{text}</Mono>
const toCopy = (id: string | null) => id && <CopyableCode>{id}</CopyableCode>

function LineFacts({ line }: { line: AuditLine }) {
  const t = useT('audit')
  const format = useFormat()
  const took = Date.parse(line.finished_at) - Date.parse(line.timestamp)
  return (
    <>
      <Facts
        title={t('who')}
        rows={[
          [t('user'), line.username],
          [t('userId'), toCopy(line.user_id)],
          [t('address'), mono(line.address)],
          [t('domain'), line.domain_id && <OwnerName key="domain" of="domain" id={line.domain_id} />],
          [t('project'), line.project_id && <OwnerName key="project" of="project" id={line.project_id} />],
          [t('sessionId'), toCopy(line.session_id)],
        ]}
      />
      <Facts
        title={t('what')}
        rows={[
          [t('activityName'), mono(line.activity)],
          [t('object'), <AuditObject key="object" line={line} />],
          [t('objectId'), toCopy(line.object_id)],
          [t('time'), <Time key="time" at={line.timestamp} show="both" />],
          line.result !== 'unknown' && [t('took'), format.duration(Math.max(0, took))],
        ]}
      />
      <Facts
        title={t('answer')}
        rows={[
          line.result === 'unknown' && [t('result'), t('unknownNote')],
          line.status > 0 && [t('status'), String(line.status)],
          line.error_code !== null && [t('code'), mono(line.error_code)],
          line.message !== null && [t('message'), line.message],
          [t('call'), mono(`${line.method} ${line.path}`.trim())],
          [t('requestId'), toCopy(line.request_id)],
        ]}
      />
      <ChangedFields changes={line.changes} />
    </>
  )
}

function ChangedFields({ changes }: Pick<AuditLine, 'changes'>) {
  const t = useT('audit')
  if (changes.length === 0) return <p className={css.none}>{t('changes.none')}</p>
  const value = (text: string | null) => (text === null ? <i>{t('nothing')}</i> : <bdi>{text}</bdi>)
  return (
    <table className={css.changes}>
      <caption>{t('changes')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('field')}</th>
          <th scope="col">{t('before')}</th>
          <th scope="col">{t('after')}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ field, from, to, is_secret }) => (
          <tr key={field}>
            <th scope="row">
              <Mono>{field}</Mono>
            </th>
            {is_secret ? (
              <td colSpan={2}>{t('secret')}</td>
            ) : (
              <>
                <td>{value(from)}</td>
                <td>{value(to)}</td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
