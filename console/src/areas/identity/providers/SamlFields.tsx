import { identityProviders, type SigningCertificate } from '@mainstay/contract/identity/identity-providers'
import type { ReplyOf } from '@mainstay/contract/core/endpoint'
import { useState } from 'react'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { RadioCards, TextArea as TextAreaField, TextField } from '../../../patterns/form/form-fields'
import { useBound } from '../../../patterns/form/use-bound'
import { useWatched } from '../../../patterns/form/use-watched'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import { TextArea } from '../../../ui/fields/TextArea'
import { sources, type Source } from './provider-form'
import { Facts } from '../../../patterns/Facts'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { Time } from '../../../ui/values/Time'

/** Shows a signing certificate, so that users can compare it with the one shown by the provider. */
function CertificateFacts({ certificate }: { certificate: SigningCertificate }) {
  const t = useT('identity')
  return (
    <Facts
      title={t('providers.certificate')}
      rows={[
        [t('providers.certificateOf'), certificate.subject],
        [t('providers.certificateEnd'), <Time key="end" at={certificate.not_after} show="both" />],
        [t('providers.fingerprint'), <CopyableCode key="fingerprint">{certificate.fingerprint}</CopyableCode>],
      ]}
    />
  )
}

/** Fields that only SAML providers have. */
export function SamlFields({ domainId }: { domainId: string }) {
  const t = useT('identity')
  const source = useWatched<Source>('source')
  return (
    <>
      <RadioCards
        name="source"
        label={t('providers.source')}
        items={sources.map((id) => ({
          id,
          label: t(`providers.source.${id}`),
          description: t(`providers.sourceHelp.${id}`),
        }))}
      />
      {source === 'url' && <TextField name="metadata_url" label={t('providers.metadataUrl')} isMono />}
      {source === 'xml' && <TextAreaField name="metadata" label={t('providers.metadata')} isMono rows={6} />}
      {source === 'fields' ? (
        <>
          <TextField name="issuer" label={t('providers.entityId')} isMono />
          <TextField name="sso_url" label={t('providers.ssoUrl')} help={t('providers.ssoUrlHelp')} isMono />
          <Certificates />
        </>
      ) : (
        <MetadataTest key={source} domainId={domainId} source={source} />
      )}
    </>
  )
}

/** All certificates concatenated in one text field. */
function Certificates() {
  const t = useT('identity')
  const { value, onChange, ...bound } = useBound<string[]>('certificates')
  return (
    <TextArea
      {...bound}
      label={t('providers.certificates')}
      help={t('providers.certificatesHelp')}
      isMono
      rows={6}
      value={value.join('')}
      onChange={(text: string) => onChange(text === '' ? [] : text.split(/(?<=-----END CERTIFICATE-----\s*)(?=-)/))}
    />
  )
}

/** Parses the metadata in the same way that a real sign-in does, and shows the result. */
function MetadataTest({ domainId, source }: { domainId: string; source: 'url' | 'xml' }) {
  const t = useT('identity')
  const shell = useT('shell')
  const text = useWatched<string>(source === 'url' ? 'metadata_url' : 'metadata')
  const request_timeout = useWatched<number>('request_timeout')
  const [found, setFound] = useState<ReplyOf<(typeof identityProviders)['readMetadata']> & { of: string }>()
  const read = useCall(identityProviders.readMetadata, {
    done: (metadata) => setFound({ ...metadata, of: text }),
  })
  return (
    <>
      <div>
        <Button
          isBusy={read.isPending}
          isDisabled={text.trim() === ''}
          onPress={() => {
            setFound(undefined)
            read.start({
              params: { domain_id: domainId },
              body: { request_timeout, ...(source === 'url' ? { metadata_url: text } : { metadata: text }) },
            })
          }}
        >
          {t('providers.readMetadata')}
        </Button>
      </div>
      {read.problem && <Banner tone="bad">{problemText(read.problem, shell)}</Banner>}
      {found?.of === text && (
        <>
          <Banner tone="ok">{t('providers.metadataRead', { issuer: found.issuer })}</Banner>
          {found.skipped.length > 0 && (
            <Banner tone="warn">{t('providers.metadataSkipped', { reasons: found.skipped.join('. ') })}</Banner>
          )}
          {found.certificates.map((it) => (
            <CertificateFacts key={it.fingerprint} certificate={it} />
          ))}
        </>
      )}
    </>
  )
}
