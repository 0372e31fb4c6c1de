/* Forms of VPN connections, fetched with the first of them. */
export { default as VpnAddPage } from './add/VpnAddPage'
export { default as VpnEditForm } from './VpnEditForm'
