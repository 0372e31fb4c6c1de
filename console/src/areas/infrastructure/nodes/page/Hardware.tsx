import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { Facts } from '../../../../patterns/Facts'
import { Panel } from '../../../../ui/Panel'
import { Bytes } from '../../../../ui/values/Bytes'
import { CopyableCode } from '../../../../ui/values/CopyableCode'
import { Time } from '../../../../ui/values/Time'

/** Shows the hardware and operating system of a node. */
export function Hardware({ node }: { node: Node }) {
  const t = useT('nodes')
  const format = useFormat()
  const { cpu, ram, spaces, os, kernel, booted_at } = node
  return (
    <Panel title={t('hardware')}>
      <Facts
        rows={[
          [t('cpu'), cpu && (cpu.model ?? t('unknown'))],
          cpu && [t('cores'), t('coresText', { sockets: cpu.sockets, cores: cpu.cores, threads: cpu.threads })],
          cpu && [t('load'), cpu.load.map((it) => format.number(it, { maximumFractionDigits: 2 })).join(' · ')],
          [t('memory'), ram && <Bytes of={ram.total} />],
          [
            t('disks'),
            spaces.disks === 0
              ? t('unknown')
              : t('disksText', { count: spaces.disks, failed: spaces.failed_disks, size: format.bytes(spaces.total) }),
          ],
          spaces.used > 0 && [t('spaceUsed'), <Bytes key="used" of={spaces.used} />],
          [t('system'), os],
          [t('kernel'), kernel],
          [t('booted'), booted_at && <Time at={booted_at} show="both" />],
          [t('addresses'), node.ip_addrs.map((it) => <CopyableCode key={it}>{it}</CopyableCode>)],
        ]}
      />
    </Panel>
  )
}
