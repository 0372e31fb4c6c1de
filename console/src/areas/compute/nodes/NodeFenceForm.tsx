import { computeNodeKind, computeNodes, NodeFence } from '@mainstay/contract/compute/nodes'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { TextField } from '../../../patterns/form/form-fields'
import { nodePaths } from './node-paths'

/** `/compute/nodes/{id}/fence`: asks for the reason and fences the node. */
export default function NodeFenceForm() {
  const t = useT('computeCluster')
  const id = useParam('id')
  const { data } = useView(computeNodes.view, { id }, { kind: computeNodeKind })
  const fence = useCall(computeNodes.fence, { refresh: [computeNodes.list, computeNodes.view] })
  if (!data) return null
  return (
    <FormDialog
      title={t('nodes.fenceTitle', { node: data.host })}
      verb={t('nodes.fence')}
      variant="danger"
      place="middle"
      schema={NodeFence}
      start={{ reason: '' }}
      send={(body) => fence.run({ params: { id }, body })}
      closeTo={nodePaths.view(id)}
    >
      <TextField name="reason" label={t('nodes.fenceReason')} help={t('nodes.fenceHelp')} />
    </FormDialog>
  )
}
