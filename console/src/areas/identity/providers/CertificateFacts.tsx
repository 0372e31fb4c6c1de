import type { SigningCertificate } from '@mainstay/contract/identity/identity-providers'
import { useT } from '../../../i18n/use-t'
import { Facts } from '../../../patterns/Facts'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { Time } from '../../../ui/values/Time'

/** A certificate with whose key a provider signs, to be compared with what the provider shows. */
export function CertificateFacts({ certificate }: { certificate: SigningCertificate }) {
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
