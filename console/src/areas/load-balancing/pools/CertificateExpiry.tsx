import { useT } from '../../../i18n/use-t'
import { Time } from '../../../ui/values/Time'

/** How long a certificate is good: "until Dec 2, 2026 (in 5 days)". */
export function CertificateExpiry({ at }: { at: string }) {
  const t = useT('loadBalancing')
  return (
    <>
      {t('sni.until')} <Time at={at} show="both" />
    </>
  )
}
