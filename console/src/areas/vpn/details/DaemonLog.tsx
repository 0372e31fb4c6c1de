import type { VpnDiagnosis } from '@mainstay/contract/vpn/connection-status'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { CodeBlock } from '../../../ui/values/CodeBlock'

/** What this side wrote of the tunnel, the newest last. */
export function DaemonLog({ log }: { log: VpnDiagnosis['log'] }) {
  const t = useT('vpn')
  const format = useFormat()
  return (
    <CodeBlock label={t('log.title')}>{log.map(({ at, text }) => `${format.clock(at)}  ${text}`).join('\n')}</CodeBlock>
  )
}
