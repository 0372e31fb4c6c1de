import { useState } from 'react'
import { update } from '@mainstay/contract/core/endpoint'
import { EXPIRES_SOON_DAYS, ENDS_VERY_SOON_DAYS, ssl, type SslConfig } from '@mainstay/contract/settings/certificate'
import { problemText } from '../../../api/problem-text'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { Facts } from '../../../patterns/Facts'
import { useMay } from '../../../session/may'
import { Banner } from '../../../ui/feedback/Banner'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { Mono } from '../../../ui/values/Mono'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { Time } from '../../../ui/values/Time'
import { CertificateForm } from './CertificateForm'

/** `/settings/certificate`: the server's TLS certificate, and a form to replace it. */
export default function CertificatePart() {
  const t = useT('settings')
  const shell = useT('shell')
  const may = useMay()
  const { data, problem, reload } = useView(ssl.view, {})
  const [saved, setSaved] = useState<{ count: number; config: SslConfig }>()
  const config = saved?.config ?? data
  const mayChange = may(update('ssl'))
  return (
    <>
      {problem && <ErrorPanel title={problemText(problem, shell)} onRetry={reload} id={problem.requestId} />}
      {!config && !problem && <Skeleton width="320px" />}
      {config && <CertificateFacts config={config} />}
      {config?.source === 'none' && <Banner tone="warn">{t('certificate.plain')}</Banner>}
      {config?.source === 'files' && <Banner tone="busy">{t('certificate.files')}</Banner>}
      {config && !mayChange && <Banner tone="busy">{t('settings.readOnly')}</Banner>}
      {config && mayChange && (config.source === 'uploaded' || config.source === 'self-signed') && (
        <CertificateForm
          key={saved?.count ?? 0}
          isUploaded={config.source === 'uploaded'}
          onSaved={(reply) => {
            setSaved({ count: (saved?.count ?? 0) + 1, config: reply })
            toast(t('certificate.saved'))
          }}
        />
      )}
    </>
  )
}

function CertificateFacts({ config }: { config: SslConfig }) {
  const t = useT('settings')
  const { certificate, source, warnings } = config
  if (!certificate) return null
  return (
    <>
      <Facts
        rows={[
          [t('certificate.status'), <CertificateStatus key="status" config={config} />],
          [t('certificate.source'), t(`certificate.source.${source}`)],
          [t('certificate.names'), <bdi key="names">{certificate.names.join(', ')}</bdi>],
          [t('certificate.subject'), <bdi key="subject">{certificate.subject}</bdi>],
          [t('certificate.issuer'), <bdi key="issuer">{certificate.issuer}</bdi>],
          [t('certificate.begins'), <Time key="begins" at={certificate.not_before} show="both" />],
          [t('certificate.ends'), <Time key="ends" at={certificate.not_after} show="both" />],
          [t('certificate.fingerprint'), <Mono key="print">{certificate.fingerprint}</Mono>],
        ]}
      />
      {warnings.length > 0 && (
        <Banner tone="warn">
          {warnings.map((warning) => (
            <div key={warning}>{warning}</div>
          ))}
        </Banner>
      )}
    </>
  )
}

function CertificateStatus({ config: { is_valid: isValid, certificate } }: { config: SslConfig }) {
  const t = useT('settings')
  const days = certificate!.days_left
  if (!isValid) return <StatusBadge tone="bad">{t('certificate.notValid')}</StatusBadge>
  const tone = days < ENDS_VERY_SOON_DAYS ? 'bad' : days < EXPIRES_SOON_DAYS ? 'warn' : 'ok'
  return <StatusBadge tone={tone}>{t('certificate.daysLeft', { count: days })}</StatusBadge>
}
