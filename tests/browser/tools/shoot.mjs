// Screenshots and page audit over CDP: BASE=http://127.0.0.1:8080/ node shoot.mjs jobs.json [name-regex] [out-folder]
// jobs.json: [{name, q: "query", hash?: "fragment", size: [w, h], dpr?, mobile?, dark?, cvd?, eval?, min?}]. Waits for <html data-ready="1">.
// Default BASE is dist/, served for the time of the run. Exits 1 on findings. Prints findings of audit.js (text size, contrast, overlap, clipping, targets, script errors).
import {serve} from '../static-server.mjs';import {spawn} from 'node:child_process';import fs from 'node:fs';import os from 'node:os';import path from 'node:path';
const jobs=JSON.parse(fs.readFileSync(process.argv[2]));const only=process.argv[3]?new RegExp(process.argv[3]):null;
const OUT=process.argv[4]||fs.mkdtempSync(path.join(os.tmpdir(),'pictures-'));console.log('pictures in',OUT);
const server=process.env.BASE?null:await serve();const BASE=process.env.BASE||server.url;
const dir=fs.mkdtempSync(path.join(os.tmpdir(),'shoot-'));
const p=spawn(process.env.CHROME||'/usr/bin/chromium',['--headless','--no-sandbox','--disable-gpu','--disable-quic','--no-first-run','--disable-background-networking','--disable-component-update','--disable-sync','--hide-scrollbars','--force-color-profile=srgb','--user-data-dir='+dir,'--remote-debugging-pipe','about:blank'],{stdio:['ignore','ignore','ignore','pipe','pipe'],env:process.env});
let id=0,buf='';const pend=new Map(),subs=[];
p.stdio[4].setEncoding('utf8');p.stdio[4].on('data',d=>{buf+=d;let i;while((i=buf.indexOf('\0'))>=0){const m=JSON.parse(buf.slice(0,i));buf=buf.slice(i+1);if(m.id&&pend.has(m.id)){const f=pend.get(m.id);pend.delete(m.id);m.error?f[1](new Error(JSON.stringify(m.error))):f[0](m.result)}else subs.forEach(f=>f(m))}});
const send=(method,params={},sessionId)=>new Promise((r,j)=>{const k=++id;pend.set(k,[r,j]);p.stdio[3].write(JSON.stringify({id:k,method,params,...(sessionId?{sessionId}:{})})+'\0')});
const sleep=ms=>new Promise(r=>setTimeout(r,ms));
const audit=fs.readFileSync(new URL('./audit.js',import.meta.url),'utf8');
let bad=0;
try{
 const {targetId}=await send('Target.createTarget',{url:'about:blank'});const {sessionId:S}=await send('Target.attachToTarget',{targetId,flatten:true});
 await send('Page.enable',{},S);await send('Runtime.enable',{},S);await send('Log.enable',{},S);
 let errs=[];subs.push(m=>{if(m.method==='Runtime.exceptionThrown')errs.push(m.params.exceptionDetails.exception?.description||m.params.exceptionDetails.text);if(m.method==='Runtime.consoleAPICalled'&&m.params.type==='error')errs.push(m.params.args.map(a=>a.value).join(' '))});
 for(const j of jobs){if(only&&!only.test(j.name))continue;errs=[];const [w,h]=j.size;
  await send('Emulation.setDeviceMetricsOverride',{width:w,height:h,deviceScaleFactor:j.dpr||1,mobile:!!j.mobile},S);
  await send('Emulation.setTouchEmulationEnabled',{enabled:!!j.mobile},S);
  await send('Emulation.setEmulatedMedia',{features:[{name:'prefers-reduced-motion',value:'reduce'},{name:'prefers-color-scheme',value:j.dark?'dark':'light'},...(j.mobile?[{name:'pointer',value:'coarse'}]:[])]},S);
  await send('Emulation.setEmulatedVisionDeficiency',{type:j.cvd||'none'},S);
  // From a blank page: two addresses that differ only in their fragment would not load anew.
  await send('Page.navigate',{url:'about:blank'},S);await send('Page.navigate',{url:BASE+(j.q?'?'+j.q:'')+(j.hash?'#'+j.hash:'')},S);
  let ready=false;
  for(let i=0;i<250;i++){await sleep(60);const r=await send('Runtime.evaluate',{expression:'document.documentElement.dataset.ready==="1"',returnByValue:true},S);if(r.result.value){ready=true;break}}
  if(!ready)errs.push('not drawn in 15 s (no data-ready)');
  if(j.eval){const r=await send('Runtime.evaluate',{expression:j.eval},S);if(r.exceptionDetails)errs.push('eval: '+(r.exceptionDetails.exception?.description||r.exceptionDetails.text));await sleep(80)}
  await sleep(120);
  const {data}=await send('Page.captureScreenshot',{format:'png',captureBeyondViewport:false},S);fs.writeFileSync(path.join(OUT,j.name+'.png'),Buffer.from(data,'base64'));
  const a=await send('Runtime.evaluate',{expression:audit+`;auditPage(${j.min||12},${!!j.mobile})`,returnByValue:true},S);
  const v=a.result.value||{x:[a.exceptionDetails?.exception?.description]};const lines=Object.entries(v).flatMap(([k,l])=>l.slice(0,8).map(x=>'    '+k+': '+x).concat(l.length>8?['    '+k+': … '+(l.length-8)+' more']:[]));
  bad+=errs.length+lines.length;console.log((errs.length||lines.length?'! ':'ok ')+j.name);errs.forEach(e=>console.log('    JS: '+e));lines.forEach(l=>console.log(l));
 }
}finally{try{await send('Browser.close')}catch{}await sleep(150);try{p.kill()}catch{};await sleep(300);try{fs.rmSync(dir,{recursive:true,force:true,maxRetries:5,retryDelay:200})}catch{}}
await server?.close();
console.log('findings',bad);process.exitCode=bad?1:0;
