import { useState } from 'react'
import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { create, update } from '@mainstay/contract/core/endpoint'
import { domainProperties, type DomainFeature } from '@mainstay/contract/identity/domain-properties'
import { asProblem, type CallProblem } from '../../../api/problem'
import { problemText } from '../../../api/problem-text'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useMay } from '../../../session/may'
import { Banner } from '../../../ui/feedback/Banner'
import { Switch } from '../../../ui/fields/Switch'
import { useSetProperty } from '../../../patterns/theme/use-set-property'

const key: DomainFeature = 'allow_live_resize'

/** Shows and changes whether live resize is allowed in a domain. Renders nothing if the engine does not support it. */
export function DomainLiveResize({ domainId }: { domainId: string }) {
  const t = useT('identity')
  const shell = useT('shell')
  const may = useMay()
  const mayChange = may(update('domain_props')) && may(create('domain_props'))
  const isKnown = may(computeCluster.view.needs)
  const engine = useView(computeCluster.view, {}, { isEnabled: isKnown }).data
  const { data } = useView(domainProperties.view, { domain_id: domainId, key })
  const set = useSetProperty(domainId)
  const [wanted, setWanted] = useState<boolean>()
  const [problem, setProblem] = useState<CallProblem>()
  if (!mayChange || !engine?.capabilities.live_resize || data === undefined) return null
  const turn = async (isOn: boolean) => {
    setWanted(isOn)
    setProblem(undefined)
    await set({ key, data: isOn, access: 'auth' }).catch((thrown: unknown) => setProblem(asProblem(thrown)))
    setWanted(undefined)
  }
  return (
    <>
      <Switch
        isSelected={wanted ?? data === true}
        isDisabled={wanted !== undefined}
        onChange={(isOn) => void turn(isOn)}
        help={t('props.liveResize.help')}
      >
        {t('props.liveResize')}
      </Switch>
      {problem && <Banner tone="bad">{problemText(problem, shell)}</Banner>}
    </>
  )
}
