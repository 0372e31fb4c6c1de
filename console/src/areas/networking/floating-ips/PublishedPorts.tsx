import { lazy, Suspense, useState } from 'react'
import { floatingIps, type FloatingIp, type PublishedPort } from '@mainstay/contract/networking/floating-ips'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { notifyError } from '../../../notices/notify-error'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { Panel } from '../../../ui/Panel'
import { IconButton } from '../../../ui/IconButton'
import { AddIcon, CloseIcon } from '../../../ui/icons'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { Mono } from '../../../ui/values/Mono'
import { SmallTable } from '../../../patterns/table/SmallTable'
import { stepKey } from '../reach/reach-words'
import { useFromOutside, useMissingRule } from './from-outside'
import css from './floating-ips.module.css'

const PublishForm = lazy(() => import('../forms').then((it) => ({ default: it.PublishForm })))

interface Props {
  floatingIp: FloatingIp
}

/** A floating IP's ports that are published on the console host. Users can open, publish and unpublish them. */
export function PublishedPorts({ floatingIp }: Props) {
  const t = useT('networking')
  const may = useMay()
  const [isAdding, setAdding] = useState(false)
  const close = useCall(floatingIps.unpublish, { refresh: [floatingIps.list, floatingIps.view] })
  const mayChange = may(floatingIps.publish.needs)
  const { id, port_id, published_ports: published = [] } = floatingIp
  return (
    <Panel
      title={t('published.title')}
      count={published.length}
      isFlush
      action={
        mayChange && (
          <Button
            size="small"
            icon={AddIcon}
            disabledBecause={port_id === null ? t('published.notAssigned') : undefined}
            onPress={() => setAdding(true)}
          >
            {t('published.add')}
          </Button>
        )
      }
    >
      <SmallTable
        label={t('published.title')}
        rows={published}
        keyOf={({ port, protocol }) => `${protocol} ${port}`}
        empty={t('published.none')}
        columns={[
          {
            id: 'port',
            label: t('published.port'),
            render: ({ port, protocol }) => `${port} ${protocol.toUpperCase()}`,
          },
          { id: 'at', label: t('published.at'), render: (it) => <HostAddress published={it} /> },
          {
            id: 'state',
            label: t('status'),
            render: (it) => <State floatingIp={floatingIp} published={it} />,
          },
          ...(mayChange
            ? [
                {
                  id: 'close',
                  isAtEnd: true,
                  render: ({ port, protocol }: PublishedPort) => (
                    <IconButton
                      icon={CloseIcon}
                      size="small"
                      label={t('published.close', { port })}
                      onPress={() => void close.run({ params: { id }, body: { port, protocol } }).catch(notifyError)}
                    />
                  ),
                },
              ]
            : []),
        ]}
      />
      <Suspense fallback={null}>
        {isAdding && <PublishForm floatingIp={floatingIp} onClose={() => setAdding(false)} />}
      </Suspense>
    </Panel>
  )
}

/** Result of the connection check from outside. Offers to add the rule if one is missing. */
function State({ floatingIp, published }: Props & { published: PublishedPort }) {
  const t = useT('networking')
  const { fault } = published
  const { answer, isUnknown } = useFromOutside(floatingIp, published, fault === null)
  const { offer, add, isPending } = useMissingRule(answer)
  if (fault !== null)
    return (
      <StatusBadge tone="bad" detail={fault}>
        {t('published.closed')}
      </StatusBadge>
    )
  if (answer?.verdict === 'unknown' || (!answer && isUnknown))
    return <StatusBadge tone="idle">{t('reach.unknown')}</StatusBadge>
  if (!answer) return <StatusBadge tone="busy">{t('published.checking')}</StatusBadge>
  if (answer.verdict === 'allowed') return <StatusBadge tone="ok">{t('published.open')}</StatusBadge>
  const end = answer.steps.find(({ state }) => state === 'refused')
  return (
    <div className={css.state}>
      <StatusBadge tone="bad" detail={end && t(stepKey(end))}>
        {t('reach.refused')}
      </StatusBadge>
      {offer && (
        <Button size="small" isBusy={isPending} onPress={() => void add(offer.rule).catch(notifyError)}>
          {t('published.addRule')}
        </Button>
      )}
    </div>
  )
}

const isLoopback = (host: string) => host === 'localhost' || host.startsWith('127.')

/** The published address, and who can reach it. TCP ports are links if they can be reached from the user's browser. */
function HostAddress({ published: { host_address, host_port, protocol, port } }: { published: PublishedPort }) {
  const t = useT('networking')
  const address = `${host_address}:${host_port}`
  const isOfHost = isLoopback(host_address)
  const scheme = port === 443 || port === 8443 ? 'https' : 'http'
  return (
    <div className={css.state}>
      {protocol === 'tcp' && (!isOfHost || isLoopback(window.location.hostname)) ? (
        <a href={`${scheme}://${address}`} target="_blank" rel="noreferrer">
          <Mono>{address}</Mono>
        </a>
      ) : (
        <Mono>{address}</Mono>
      )}
      <span className={css.dim}>{t(isOfHost ? 'published.onlyHost' : 'published.onNetwork')}</span>
    </div>
  )
}
