import { useState } from 'react'
import { buttonClass } from '../../ui/button-class'
import { Button } from '../../ui/Button'
import { ChoiceMenu } from '../../ui/overlays/ChoiceMenu'
import { IconButton } from '../../ui/IconButton'
import { AddIcon, ColumnsIcon, DeleteIcon, EditIcon, NotificationsIcon, RefreshIcon } from '../../ui/icons'
import { Kbd } from '../../ui/values/Kbd'
import { Menu } from '../../ui/overlays/Menu'
import { Popover } from '../../ui/overlays/Popover'
import { Tooltip } from '../../ui/overlays/Tooltip'
import { rowActions } from './samples'
import { Section, Row } from './section'

export function Actions() {
  const [isBusy, setBusy] = useState(false)
  const [columns, setColumns] = useState(['name', 'status', 'flavor'])
  return (
    <Section title="Actions">
      <Row>
        <Button
          variant="primary"
          icon={AddIcon}
          isBusy={isBusy}
          onPress={() => {
            setBusy(true)
            setTimeout(() => setBusy(false), 2000)
          }}
        >
          Create instance
        </Button>
        <Button>Cancel</Button>
        <Button variant="plain">Reset filters</Button>
        <Button variant="danger">Delete 3 volumes</Button>
      </Row>
      <Row>
        <Button size="small" icon={RefreshIcon}>
          Refresh
        </Button>
        <Button size="small" variant="primary" isBusy>
          Saving changes
        </Button>
        <Button size="small" disabledBecause="The volume is attached to web-1">
          Detach
        </Button>
        <Button size="small" isDisabled>
          Not now
        </Button>
        <a className={buttonClass({ size: 'small' })} href="#link">
          A link
        </a>
      </Row>
      <Row>
        <IconButton icon={RefreshIcon} label="Refresh" />
        <IconButton icon={EditIcon} label="Rename" />
        <IconButton icon={DeleteIcon} label="Delete" disabledBecause="The image is in use" />
        <Menu label="Actions for web-1" items={rowActions} />
        <ChoiceMenu
          label="Columns"
          trigger={<IconButton icon={ColumnsIcon} label="Columns" />}
          items={[
            { id: 'name', label: 'Name', isDisabled: true },
            { id: 'status', label: 'Status' },
            { id: 'flavor', label: 'Flavor' },
            { id: 'created', label: 'Created' },
          ]}
          chosen={columns}
          onChange={setColumns}
        />
        <Popover label="Notifications" trigger={<IconButton icon={NotificationsIcon} label="Notifications" />}>
          Nothing new since 10:42.
        </Popover>
        <Tooltip text="Focus the search of a list">
          <Button size="small" variant="plain">
            Search <Kbd>/</Kbd>
          </Button>
        </Tooltip>
      </Row>
    </Section>
  )
}
