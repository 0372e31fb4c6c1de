import { useState } from 'react'
import {
  nodeMaintenance,
  type MaintenanceModes,
  type MaintenancePrecheck,
} from '@mainstay/contract/infrastructure/node-maintenance'
import { nodes, type Node } from '@mainstay/contract/infrastructure/nodes'
import { problemText } from '../../../../api/problem-text'
import { useCall } from '../../../../api/use-call'
import { useView } from '../../../../api/use-view'
import { useT } from '../../../../i18n/use-t'
import { ViewContent } from '../../../../patterns/DrawerPage'
import { Button } from '../../../../ui/Button'
import { Banner } from '../../../../ui/feedback/Banner'
import { RefreshIcon } from '../../../../ui/icons'
import { Dialog } from '../../../../ui/overlays/Dialog'
import { AffectedObjects } from './AffectedObjects'
import { chosenChecks, type Modes } from './checks'
import { PrecheckTable } from './PrecheckTable'
import css from './maintenance.module.css'

interface EnterMaintenanceProps {
  node: Node
  onClose: () => void
}

/** Shows how maintenance would affect each service, and lets the user choose a mode for each one. */
export function EnterMaintenance({ node, onClose }: EnterMaintenanceProps) {
  const t = useT('nodes')
  const shell = useT('shell')
  const [chosen, setChosen] = useState<Partial<MaintenanceModes>>({})
  const { id, host } = node
  const precheck = useView(nodeMaintenance.precheck, { id })
  const enter = useCall(nodeMaintenance.enter, { refresh: [nodes.list, nodes.view], done: onClose })
  const { data } = precheck
  const modes: Modes | undefined = data && { ...data.suggested, ...chosen }
  const blocked = data && modes && chosenChecks(data, modes).find(({ result }) => result === 'blocked')
  return (
    <Dialog
      isOpen
      isFirm
      size="large"
      title={t('maintenance.enterTitle', { name: host })}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button icon={RefreshIcon} isBusy={precheck.isReloading} onPress={precheck.reload}>
            {t('maintenance.checkAgain')}
          </Button>
          <Button
            variant="primary"
            isBusy={enter.isPending}
            isDisabled={modes === undefined}
            disabledBecause={blocked ? t('maintenance.blocked') : undefined}
            onPress={() => modes && enter.start({ params: { id }, body: modes })}
          >
            {t('maintenance.enter')}
          </Button>
        </>
      }
    >
      <div className={css.parts}>
        <p className={css.dim}>{t('maintenance.intro')}</p>
        {enter.problem && <Banner tone="bad">{problemText(enter.problem, shell)}</Banner>}
        <ViewContent view={precheck}>
          {(found) => (
            <Checked
              precheck={found}
              modes={{ ...found.suggested, ...chosen }}
              onChoose={(change) => setChosen((before) => ({ ...before, ...change }))}
            />
          )}
        </ViewContent>
      </div>
    </Dialog>
  )
}

interface CheckedProps {
  precheck: MaintenancePrecheck
  modes: Modes
  onChoose: (change: Partial<Modes>) => void
}

function Checked({ precheck, modes, onChoose }: CheckedProps) {
  const t = useT('nodes')
  const checks = chosenChecks(precheck, modes)
  if (checks.length === 0) return <p>{t('maintenance.noServices')}</p>
  return (
    <>
      <PrecheckTable precheck={precheck} modes={modes} onChoose={onChoose} />
      {checks.map((check) => (
        <AffectedObjects key={check.service} check={check} />
      ))}
    </>
  )
}
