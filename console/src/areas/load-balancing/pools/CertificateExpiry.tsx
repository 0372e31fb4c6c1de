import { useT } from '../../../i18n/use-t'
import { Time } from '../../../ui/values/Time'

/** Shows when a certificate expires: "Valid until Dec 2, 2026 (in 5 days)". */
export function CertificateExpiry({ at }: { at: string }) {
  const t = useT('loadBalancing')
  return t('sni.until', { time: <Time key="time" at={at} show="both" /> })
}
