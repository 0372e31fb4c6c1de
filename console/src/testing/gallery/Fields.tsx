import { useState } from 'react'
import { useFormat } from '../../i18n/use-format'
import { Checkbox } from '../../ui/fields/Checkbox'
import { ComboBox } from '../../ui/fields/ComboBox'
import { Disclosure } from '../../ui/Disclosure'
import { FileDrop } from '../../ui/fields/FileDrop'
import { ImageIcon, VolumeIcon } from '../../ui/icons'
import { Meter } from '../../ui/feedback/Meter'
import { NumberField } from '../../ui/fields/NumberField'
import { PasswordField } from '../../ui/fields/PasswordField'
import { RadioCards } from '../../ui/fields/RadioCards'
import { Select } from '../../ui/fields/Select'
import { Switch } from '../../ui/fields/Switch'
import { TextArea } from '../../ui/fields/TextArea'
import { TextField } from '../../ui/fields/TextField'
import { GiB, publicKey, flavors } from './samples'
import { Section, Row } from './section'

export function Fields() {
  const [size, setSize] = useState<number | null>(32)
  const [image, setImage] = useState<string | null>('debian')
  const [flavor, setFlavor] = useState<string | null>('small')
  const [boot, setBoot] = useState<string | null>('image')
  const [files, setFiles] = useState<File[]>([new File(['x'.repeat(98_304)], 'debian-12-generic-amd64-20261103.qcow2')])
  const format = useFormat()
  return (
    <Section title="Fields">
      <TextField label="Name" defaultValue="web-1" help="Letters, digits, dots and dashes." />
      <TextField label="Address" isMono isOptional placeholder="10.0.0.12" error="10.0.0.300 is not an IPv4 address." />
      <PasswordField label="Password" defaultValue="not a secret" autoComplete="off" />
      <NumberField label="Size" unit="GiB" value={size} onChange={setSize} minValue={1} maxValue={16_384} />
      <Meter label="Storage" used={412 * GiB} added={(size ?? 0) * GiB} limit={512 * GiB} format={format.bytes} />
      <Select label="Flavor" items={flavors} value={flavor} onChange={setFlavor} />
      <ComboBox
        label="Image"
        value={image}
        onChange={setImage}
        help="Images of this project and public ones."
        items={[
          { id: 'debian', label: 'Debian 12', description: 'public', icon: ImageIcon, end: '412 MiB' },
          { id: 'alpine', label: 'Alpine 3.22', description: 'public', icon: ImageIcon, end: '58 MiB' },
          { id: 'win', label: 'Windows Server 2025', description: 'this project', icon: ImageIcon, end: '11 GiB' },
        ]}
      />
      <RadioCards
        label="Boot from"
        isGrid
        value={boot}
        onChange={setBoot}
        items={[
          { id: 'image', label: 'Image', description: 'A new disk with a copy of an image', icon: ImageIcon },
          { id: 'volume', label: 'Volume', description: 'A volume that is already there', icon: VolumeIcon },
          { id: 'snapshot', label: 'Snapshot', disabledBecause: 'This project has no snapshots' },
        ]}
      />
      <TextArea label="Public key" isMono defaultValue={publicKey} />
      <FileDrop label="File" files={files} onChange={setFiles} help="iso, qcow2, raw, vmdk, vhd up to 10 GiB." />
      <Row>
        <Checkbox defaultSelected help="Its volumes stay">
          Delete the instance
        </Checkbox>
        <Checkbox isIndeterminate>Some</Checkbox>
        <Checkbox isDisabled>Not now</Checkbox>
        <Switch defaultSelected>Public</Switch>
        <Switch>Protected</Switch>
        <Switch isDisabled>Fixed</Switch>
      </Row>
      <TextField label="Domain" defaultValue="Default" isDisabled help="Chosen by the administrator." />
      <Disclosure title="Advanced" summary="host name web-1, no script">
        <TextField label="Host name" defaultValue="web-1" />
      </Disclosure>
    </Section>
  )
}
