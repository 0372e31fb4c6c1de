import { isPending, type VpnDiagnosis } from '@mainstay/contract/vpn/connection-status'
import { connectionKind, ipsecSiteConnections, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { problemText } from '../../../api/problem-text'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { CheckTrace, Verdict, type CheckState } from '../../../patterns/CheckTrace'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { Disclosure } from '../../../ui/Disclosure'
import { Banner } from '../../../ui/feedback/Banner'
import { RefreshIcon } from '../../../ui/icons'
import { Panel } from '../../../ui/Panel'
import { Time } from '../../../ui/values/Time'
import { routerResource } from '../../networking/routers/resource'
import { vpnResource } from '../resource'
import { useVpnCapabilities } from '../use-vpn'
import css from '../vpn.module.css'
import { partKeys, vpnStatusText } from '../words'
import { useFormat } from '../../../i18n/use-format'
import { CodeBlock } from '../../../ui/values/CodeBlock'

/** Log lines of the local VPN daemon, newest last. */
function DaemonLog({ log }: { log: VpnDiagnosis['log'] }) {
  const t = useT('vpn')
  const format = useFormat()
  return (
    <CodeBlock label={t('log.title')}>{log.map(({ at, text }) => `${format.clock(at)}  ${text}`).join('\n')}</CodeBlock>
  )
}

/** Polling interval while the tunnel is down, needed because changes at the peer do not send events. */
const ASK_AGAIN_MS = 10_000

/** The tunnel status and, if the tunnel is down, the reason and how to fix it. */
export function TunnelState({ connection }: { connection: IpsecSiteConnection }) {
  const t = useT('vpn')
  const shell = useT('shell')
  const can = useVpnCapabilities()
  const { id, status, reason, status_changed_at: since } = connection
  const isDown = status === 'DOWN' || status === 'ERROR'
  const view = useView(
    ipsecSiteConnections.diagnosis,
    { id },
    {
      ...{ kind: connectionKind, isEnabled: (can?.diagnosis ?? false) && !isPending(status) },
      ...(isDown && { everyMs: ASK_AGAIN_MS }),
    },
  )
  const { data, problem } = view
  const why = data?.reason ?? reason
  const state: CheckState = status === 'ACTIVE' ? 'passes' : isDown ? 'refused' : 'unknown'
  return (
    <Panel
      title={t(isDown ? 'state.why' : 'state.title')}
      action={
        isDown &&
        can?.diagnosis && (
          <Button variant="plain" size="small" icon={RefreshIcon} onPress={view.reload}>
            {t('state.again')}
          </Button>
        )
      }
    >
      <div className={css.column}>
        <Verdict state={state} title={vpnStatusText(status, t)}>
          {since !== null && (
            <span className={css.since}>{t('state.since', { time: <Time key="time" at={since} show="both" /> })}</span>
          )}
          {why !== null && status !== 'ACTIVE' && <p className={css.why}>{why}</p>}
        </Verdict>
        {problem && <Banner tone="warn">{problemText(problem, shell)}</Banner>}
        {data && isDown && <Checks connection={connection} checks={data.checks} said={why} />}
        {data && data.log.length > 0 && (
          <Disclosure title={t('log.title')}>
            <DaemonLog log={data.log} />
          </Disclosure>
        )}
      </div>
    </Panel>
  )
}

const states = { good: 'passes', failed: 'refused', unknown: 'unknown' } as const

interface ChecksProps {
  connection: IpsecSiteConnection
  checks: VpnDiagnosis['checks']
  /** The reason already shown above the checks. */
  said: string | null
}

function Checks({ connection, checks, said }: ChecksProps) {
  const t = useT('vpn')
  return (
    <CheckTrace
      label={t('state.checks')}
      checks={checks.map(({ part, state, detail }) => ({
        ...{ id: part, state: states[state], title: t(partKeys[part][0]), detail: detail === said ? null : detail },
        fix: state === 'failed' && <Fix connection={connection} part={part} />,
      }))}
    />
  )
}

/** Advice for a failed check, with a link to the page where it can be fixed. */
function Fix({ connection, part }: { connection: IpsecSiteConnection; part: VpnDiagnosis['checks'][number]['part'] }) {
  const t = useT('vpn')
  const may = useMay()
  const { id, router_id: router } = connection
  const mayEdit = may(ipsecSiteConnections.update.needs)
  const place =
    part === 'router'
      ? { to: routerResource.paths.view(router), label: t('fix.toRouter') }
      : part === 'proposal' || !mayEdit
        ? null
        : { to: vpnResource.paths.edit(id), label: t('fix.toEdit') }
  return (
    <>
      {t(partKeys[part][1], { address: connection.peer_address, id: connection.peer_id })}{' '}
      {place && <Link to={place.to}>{place.label}</Link>}
    </>
  )
}
